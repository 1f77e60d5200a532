#include "api/shown_jobs.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "store/show.h"
#include "wire/shapes.h"

namespace baton::api {

void ShownJobs::want(std::size_t place, const JobId& id, std::string ref) {
  wanted_.push_back({place, id, std::move(ref)});
}

void ShownJobs::read(std::function<void()> done) {
  done_ = std::move(done);
  // The same job stands together then.
  std::stable_sort(wanted_.begin(), wanted_.end(),
                   [](const Wanted& a, const Wanted& b) { return a.id < b.id; });
  go_on();
}

void ShownJobs::go_on() {
  while (next_ < wanted_.size()) {
    const auto end =
        std::find_if(wanted_.begin() + static_cast<std::ptrdiff_t>(next_), wanted_.end(),
                     [id = wanted_[next_].id](const Wanted& one) { return !(one.id == id); });
    const auto past = static_cast<std::size_t>(end - wanted_.begin());
    // A store may answer before get() returns, and then the loop goes on; else the answer does.
    enum : int { kAsked, kAnswered, kReturned };
    const auto step = std::make_shared<std::atomic<int>>(kAsked);
    store_.get(wanted_[next_].id,
               [self = shared_from_this(), past,
                step](const Result<std::shared_ptr<const store::JobRecord>>& record) {
                 if (record) self->show(store::show(*record), past);
                 self->next_ = past;
                 if (step->exchange(kAnswered) == kReturned) self->go_on();
               });
    if (step->exchange(kReturned) == kAsked) return;
  }
  const std::function<void()> done = std::move(done_);
  done();
}

void ShownJobs::show(const Job& job, std::size_t end) {
  for (std::size_t i = next_; i < end; ++i) {
    const Wanted& one = wanted_[i];
    if (shown_.size() <= one.place) shown_.resize(one.place + 1);
    std::string& text = shown_[one.place];
    base::JsonWriter json(text);
    wire::write_answer(json, job,
                       {.parts = wire::kNoParts, .brief = bytes_ > whole_bytes_, .ref = one.ref});
    bytes_ += text.size();
  }
}

const std::string& ShownJobs::at(std::size_t place) const {
  static const std::string kNone;
  return place < shown_.size() ? shown_[place] : kNone;
}

}  // namespace baton::api
