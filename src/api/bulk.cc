#include <atomic>

#include "api/answer.h"
#include "api/decode.h"
#include "api/handlers.h"
#include "api/page.h"
#include "api/redrive_order.h"
#include "lifecycle/decide.h"

namespace baton::api {
namespace {

using base::JsonWriter;
using RecordPtr = std::shared_ptr<const store::JobRecord>;

constexpr std::size_t kMaxJobs = 10'000;
constexpr std::size_t kPage = 500;
constexpr std::size_t kSample = 10;

constexpr std::string_view kReason = "bulk";

lifecycle::Event event_of(BulkAction action, const store::JobRecord& record) {
  switch (action) {
    case BulkAction::kCancel:
      return lifecycle::Cancel{.force = false, .reason = kReason};
    case BulkAction::kRetry:
      return lifecycle::Redrive{.redriven_to = record.redriven_to};
    case BulkAction::kDelete:
      break;
  }
  return lifecycle::Delete{};
}

// Goes through the jobs of a filter, page by page, and does the same to each. Each step starts the
// next one when the store has answered; the object lives in their callbacks.
class Bulk : public std::enable_shared_from_this<Bulk> {
 public:
  Bulk(ApiCall call, BulkBody body) : call_(std::move(call)), body_(std::move(body)) {
    body_.filter.limit = kPage;
  }

  void start() {
    if (body_.action == BulkAction::kRetry && !body_.dry_run) {
      order_ = std::make_shared<RedriveOrder>(call_.service.store, body_.filter,
                                              [self = weak_from_this()](const JobId& id) {
                                                if (const auto bulk = self.lock())
                                                  bulk->redrive(id);
                                              });
    }
    next_page();
  }

 private:
  void next_page() {
    // Half of what is left is for the jobs that those of the page waited for.
    const std::size_t left = kMaxJobs - looked_at_;
    body_.filter.budget.rows = order_ ? (left + 1) / 2 : left;
    call_.service.store.list(body_.filter,
                             [self = shared_from_this()](const Result<store::JobList>& page) {
                               if (!page) return self->call_.answer(problem_answer(page.error()));
                               self->take(*page);
                             });
  }

  void take(const store::JobList& page) {
    page_ = page;
    looked_at_ += page.examined;
    open_ = 1;
    if (order_) return redrive_from(0);
    for (const RecordPtr& record : page_.jobs)
      look_at(*record);
    finish_one();
  }

  // Asked of the job as it was last changed: one that would refuse is passed over. The store asks
  // again, of the job as it is.
  bool fits(const store::JobRecord& record) const {
    const lifecycle::JobFacts& job = record.facts;
    return lifecycle::decide(job, event_of(body_.action, record), job.updated_at, 0).ok();
  }

  void look_at(const store::JobRecord& record) {
    if (!fits(record)) {
      ++skipped_;
      return;
    }
    ++matched_;
    if (sample_.size() < kSample) sample_.push_back(record.id);
    if (body_.dry_run) return;
    ++open_;
    act_on(record.id);
  }

  // Goes on with the jobs of the page from this one on, each after those that it waited for.
  void redrive_from(std::size_t index) {
    for (; index < page_.jobs.size(); ++index) {
      const RecordPtr& record = page_.jobs[index];
      if (order_->has_seen(record->id)) continue;
      if (!fits(*record)) {
        ++skipped_;
        continue;
      }
      const std::size_t budget = kMaxJobs - std::min(looked_at_, kMaxJobs);
      return order_->run(record, budget,
                         [self = shared_from_this(), index](std::size_t examined, bool whole) {
                           self->looked_at_ += examined;
                           whole ? self->redrive_from(index + 1) : self->stop_at(index);
                         });
    }
    finish_one();
  }

  // The next call begins with this job; or behind it, if nothing came of this call, which would
  // then be repeated for ever.
  void stop_at(std::size_t index) {
    stopped_at_ = page_.jobs[index]->number;
    page_.next_before_number = stopped_at_ + 1;
    finish_one();
  }

  void redrive(const JobId& id) {
    ++matched_;
    ++open_;
    act_on(id);
  }

  void act_on(const JobId& id) {
    store::Store& store = call_.service.store;
    const auto counted = [self = shared_from_this()](const auto& answer) {
      ++(answer ? self->done_ : self->refused_);
      self->finish_one();
    };
    switch (body_.action) {
      case BulkAction::kCancel:
        return store.cancel({id, false, std::string(kReason)}, counted);
      case BulkAction::kRetry:
        return store.redrive({.id = id}, counted);
      case BulkAction::kDelete:
        return store.remove({id}, counted);
    }
  }

  // The last one of a page goes on with the next page, or answers.
  void finish_one() {
    if (--open_ > 0) return;
    body_.filter.before_number = page_.next_before_number;
    if (page_.next_before_number != 0 && looked_at_ < kMaxJobs) return next_page();
    answer();
  }

  void answer() {
    if (stopped_at_ != 0 && done_ == 0) {
      ++skipped_;
      page_.next_before_number = stopped_at_;
    }
    std::string body;
    JsonWriter json(body);
    const auto count = [&](std::string_view name, std::int64_t number) {
      json.key(name);
      json.number(number);
    };
    json.begin_object();
    json.key("dry_run");
    json.boolean(body_.dry_run);
    count("matched", matched_);
    count("skipped", skipped_ + refused_);
    count("changed", done_);
    count("refused", refused_);
    if (body_.dry_run) {
      json.key("sample");
      wire::write_answer(json, sample_);
    }
    write_next_cursor(json, page_.next_before_number);
    json.end_object();
    call_.answer(json_answer(200, std::move(body)));
  }

  ApiCall call_;
  BulkBody body_;
  std::shared_ptr<RedriveOrder> order_;  // set when jobs are redriven
  store::JobList page_;
  std::vector<JobId> sample_;
  std::size_t looked_at_ = 0;    // also at jobs that the filter leaves out
  std::int64_t stopped_at_ = 0;  // the number of a job for which too much had to be read
  std::int64_t matched_ = 0;
  std::int64_t skipped_ = 0;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<std::int64_t> refused_ = 0;
  std::atomic<std::int64_t> open_ = 0;
};

}  // namespace

void change_many(const ApiCall& call) {
  auto body = decode_bulk(call.request.body);
  if (!body) return call.answer(problem_answer(body.error()));
  std::make_shared<Bulk>(call, std::move(*body))->start();
}

}  // namespace baton::api
