// For the tests of this folder: a client on a raw socket, which sends exactly the bytes it is
// given, and a handler that answers by path or keeps the request until the test answers it.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "http/handler.h"
#include "http/server.h"

namespace baton::http {

struct Reply {
  int status = 0;  // 0: the connection ended
  std::string head;
  std::string body;

  std::string field(std::string_view name) const {
    const auto value = Headers(std::string_view(head).substr(head.find('\n') + 1)).find(name);
    return value ? std::string(*value) : "(none)";
  }
};

// Nothing in here waits for ever: after twenty seconds a read fails.
class RawClient {
 public:
  explicit RawClient(std::uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval patience{.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (receive_buffer != 0)
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() { close(); }

  bool connected() const { return connected_; }
  int descriptor() const { return socket_; }

  // False when the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
  }
  void finish_sending() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }
  // Closes so that the server sees an error instead of an end.
  void reset() {
    const linger now{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close();
  }

  Reply read(bool head_only = false) {
    Reply reply;
    if (!read_until("\r\n\r\n", reply.head)) return {};
    reply.status = std::stoi(reply.head.substr(9, 3));
    if (head_only || reply.status == 100 || reply.status == 204) return reply;
    if (reply.field("transfer-encoding") == "chunked") {
      while (read_chunk(reply.body)) {
      }
    } else if (reply.field("content-length") != "(none)") {
      read_exactly(std::stoul(reply.field("content-length")), reply.body);
    } else {
      reply.body = read_to_end();
    }
    return reply;
  }
  // False at the last chunk.
  bool read_chunk(std::string& into) {
    std::string line;
    if (!read_until("\r\n", line)) return false;
    std::size_t size = 0;
    std::from_chars(line.data(), line.data() + line.size(), size, 16);
    std::string chunk;
    read_exactly(size + 2, chunk);
    into += chunk.substr(0, size);
    return size != 0;
  }
  // The status line and fields of an answer whose body is read otherwise.
  std::string read_head() {
    std::string head;
    read_until("\r\n\r\n", head);
    return head;
  }
  std::string read_to_end() {
    while (read_more()) {
    }
    return std::exchange(received_, {});
  }
  // The server has closed, in good order, and nothing is left.
  bool at_end() { return received_.empty() && !read_more() && received_.empty() && !broken_; }
  bool broken() const { return broken_; }

 private:
  bool read_more() {
    char bytes[16384];
    const ssize_t count = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (count > 0) received_.append(bytes, static_cast<std::size_t>(count));
    broken_ = count < 0;
    return count > 0;
  }
  bool read_until(std::string_view mark, std::string& into) {
    std::size_t found = 0;
    while ((found = received_.find(mark)) == std::string::npos)
      if (!read_more()) return false;
    into = received_.substr(0, found + mark.size());
    received_.erase(0, found + mark.size());
    return true;
  }
  void read_exactly(std::size_t size, std::string& into) {
    while (received_.size() < size && read_more()) {
    }
    into = received_.substr(0, size);
    received_.erase(0, std::min(size, received_.size()));
  }

  int socket_;
  bool connected_ = false;
  bool broken_ = false;
  std::string received_;
};

inline std::string get(std::string_view path, std::string_view fields = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) +
         "\r\n";
}
inline std::string post(std::string_view path, std::string_view body,
                        std::string_view fields = "") {
  return "POST " + std::string(path) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n" + std::string(fields) + "\r\n" + std::string(body);
}

// /hold/… is kept for take(); /big?n answers n bytes; /drop gives the request up; anything else is
// answered with what was asked.
class TestHandler final : public RequestHandler {
 public:
  void handle(const Request& request, Responder responder) override {
    if (request.path.starts_with("/hold")) {
      responder.on_closed([this, path = std::string(request.path)] { note_closed(path); });
      const std::lock_guard lock(mutex_);
      held_.emplace(std::string(request.path), Held{&request, std::move(responder)});
      changed_.notify_all();
    } else if (request.path == "/big") {
      responder.send(Response{.content_type = "text/plain",
                              .body = std::string(std::stoul(std::string(request.query)), 'b')});
    } else if (request.path != "/drop") {
      responder.send(Response{.content_type = "text/plain",
                              .body = std::string(request.method_name) + " " +
                                      std::string(request.path) + " " + std::string(request.body)});
    }
  }

  struct Held {
    const Request* request;
    Responder responder;
  };
  // Waits for the request.
  Held take(const std::string& path) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return held_.contains(path); });
    Held held = held_.find(path)->second;
    held_.erase(path);
    return held;
  }
  void answer(const std::string& path, std::string body) {
    take(path).responder.send(Response{.content_type = "text/plain", .body = std::move(body)});
  }
  std::size_t held() {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  // Waits until on_closed was called for the path.
  void wait_for_closed(const std::string& path) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_[path] != 0; });
  }
  void forget_closed() {
    const std::lock_guard lock(mutex_);
    closed_.clear();
  }

 private:
  void note_closed(const std::string& path) {
    const std::lock_guard lock(mutex_);
    ++closed_[path];
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Held> held_;
  std::map<std::string, int> closed_;
};

// A server on a free port.
struct TestServer {
  explicit TestServer(ServerOptions options = {}) {
    auto started = HttpServer::start(std::move(options), handler);
    BATON_ASSERT(started.ok());
    server = std::move(*started);
  }
  std::uint16_t port() const { return server->port(); }

  TestHandler handler;
  std::unique_ptr<HttpServer> server;
};

}  // namespace baton::http
