// The child process: started, listened to, killed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>

namespace baton::crash {

class Child {
 public:
  Child(const std::string& directory, std::uint64_t seed, std::int64_t first);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Hands every line to `hear`, kills the child `after` the line "ready", and hands on what it had
  // written until then. False when it ended by itself.
  bool listen_and_kill(std::chrono::milliseconds after,
                       const std::function<void(const std::string&)>& hear);

 private:
  bool read_more(int timeout_ms);

  pid_t pid_ = -1;
  int output_ = -1;
  std::string pending_;
};

}  // namespace baton::crash
