// One connection of `baton bench`: sends a request, and says when the whole answer is there. It is
// not src/client, which takes a thread for each call that waits: here one thread drives thousands
// of connections without blocking, at a third of the CPU, so that the server is what is measured.
// It trusts that server: an answer has a Content-Length. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "baton/result.h"
#include "client/address.h"

namespace baton::bench {

class LoadConnection {
 public:
  LoadConnection() = default;
  ~LoadConnection();
  LoadConnection(LoadConnection&& other) noexcept;
  LoadConnection& operator=(LoadConnection&&) = delete;

  Status open(const client::Address& address);
  int descriptor() const { return socket_; }

  // Sends a request. No other may be under way.
  Status post(std::string_view path, std::string_view body);
  Status get(std::string_view path);

  enum class Progress : std::uint8_t { kWaiting, kAnswered, kFailed };
  // Reads what has arrived.
  Progress read();
  // The answer that read() completed; until the next request.
  int status() const { return status_; }
  std::string_view body() const { return std::string_view(input_).substr(body_at_, body_size_); }

 private:
  void begin(std::string_view method, std::string_view path);
  Status send_all();
  bool parse_head();

  int socket_ = -1;
  std::string host_;
  std::string output_;
  std::string input_;
  int status_ = 0;
  std::size_t body_at_ = 0;  // 0: the head is not complete
  std::size_t body_size_ = 0;
};

}  // namespace baton::bench
