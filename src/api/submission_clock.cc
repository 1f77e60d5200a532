#include "api/submission_clock.h"

#include <vector>

#include "api/answer.h"

namespace baton::api {

SubmissionClock::~SubmissionClock() {
  const std::lock_guard lock(mutex_);
  if (next_ != 0) alarm_.cancel(next_);
}

std::shared_ptr<PendingSubmission> SubmissionClock::begin(http::Responder responder) {
  auto pending = std::make_shared<PendingSubmission>(std::move(responder));
  const Duration end = clock_.monotonic() + limit_;
  const std::lock_guard lock(mutex_);
  // What was answered needs no clock: usually all but the last few.
  while (!entries_.empty() && entries_.front().pending.expired())
    entries_.pop_front();
  entries_.push_back({end, pending});
  if (next_ == 0) next_ = alarm_.at(end, [this] { look(); });
  return pending;
}

void SubmissionClock::look() {
  std::vector<std::shared_ptr<PendingSubmission>> late;
  {
    const std::lock_guard lock(mutex_);
    const Duration now = clock_.monotonic();
    while (!entries_.empty() &&
           (entries_.front().end <= now || entries_.front().pending.expired())) {
      if (auto pending = entries_.front().pending.lock()) late.push_back(std::move(pending));
      entries_.pop_front();
    }
    next_ = entries_.empty() ? 0 : alarm_.at(entries_.front().end, [this] { look(); });
  }
  for (const auto& pending : late) {
    pending->answer(problem_answer(
        {Code::kSubmissionTimeout,
         "the submission was not acknowledged in time; whether it was made is unknown",
         {},
         {}}));
  }
}

}  // namespace baton::api
