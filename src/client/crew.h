// Threads that run what they are given, each piece on one of them. There are as many as were ever
// needed at once, up to a limit; what comes beyond it waits for its turn. Any thread may call
// run().
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace baton::client {

class Crew {
 public:
  Crew() = default;
  // Returns when everything that was given has run.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Never waits. `task` must not throw.
  void run(std::function<void()> task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable came_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ended_ = false;
};

}  // namespace baton::client
