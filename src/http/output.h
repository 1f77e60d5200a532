// What is to be sent on a connection: answers as bytes, in order. Small ones are put together so
// that one write carries them all; large bodies are passed on without a copy. One thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace baton::http {

class Output {
 public:
  // A string to append small things to. Valid until the next call of anything here.
  std::string& tail();
  // Takes a body; a large one keeps its memory.
  void append(std::string&& bytes);

  // Everything that waits goes in flight, if nothing is. False when there is nothing to send.
  bool take_off();
  // What is in flight and not yet sent.
  const std::vector<std::string_view>& in_flight() const { return views_; }
  // So much of what is in flight was sent. True when all of it was.
  bool sent(std::size_t count);

  bool idle() const { return views_.empty() && unsent() == 0; }
  std::size_t unsent() const;
  // What all of it takes in memory: what was sent in part counts whole.
  std::size_t held() const;
  // Gives back memory that was kept for the next answers.
  void let_go() { spare_ = {}; }

 private:
  std::vector<std::string> waiting_;
  std::vector<std::string> flying_;
  std::vector<std::string_view> views_;  // of flying_
  std::string spare_;                    // memory for the next tail
};

}  // namespace baton::http
