#include "store/record.h"

#include <algorithm>

namespace baton::store {

Failure own(const lifecycle::FailureView& failure) {
  return {failure.category, std::string(failure.code), std::string(failure.message),
          std::string(failure.cause)};
}

lifecycle::FailureView borrow(const Failure& failure) {
  return {failure.category, failure.code, failure.message, failure.cause};
}

bool has_left_pending(const JobRecord& record) {
  return std::any_of(record.history.begin(), record.history.end(), [](const HistoryEntry& step) {
    return step.from == JobState::kPending && !is_terminal(step.to);
  });
}

}  // namespace baton::store
