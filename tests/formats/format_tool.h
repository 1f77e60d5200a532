// Makes a data directory that has something of everything, and prints what is in one.
#pragma once

#include <future>
#include <string>
#include <utility>

#include "base/clock.h"
#include "store/store.h"

namespace baton::formats {

inline constexpr Time kStart{1'700'000'000'000};

// A verb of a store as a blocking call that must succeed.
template <class Answer, class Call>
Answer ask(Call&& call) {
  std::promise<Result<Answer>> promise;
  auto future = promise.get_future();
  std::forward<Call>(call)(store::Done<Answer>(
      [&promise](Result<Answer> answer) { promise.set_value(std::move(answer)); }));
  return future.get().value();
}

// Fills an empty store.
void make(store::Store& store, base::ManualClock& clock);

// Everything in the store as JSON, one job a line.
std::string print(store::Store& store);

}  // namespace baton::formats
