// A verb of a store as a blocking call.
#pragma once

#include <future>
#include <utility>

#include "store/store.h"

namespace baton::crash {

// `call` hands the completion it is given to a verb.
template <class Answer, class Call>
Result<Answer> blocking(Call&& call) {
  std::promise<Result<Answer>> promise;
  auto future = promise.get_future();
  std::forward<Call>(call)(store::Done<Answer>(
      [&promise](Result<Answer> answer) { promise.set_value(std::move(answer)); }));
  return future.get();
}

}  // namespace baton::crash
