// A server that says what a test tells it to, over a real socket. For tests only. Each connection
// runs the script it was given, on a thread of the server.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace baton::client {

// One connection, as its server sees it.
class Visitor {
 public:
  explicit Visitor(int descriptor) : descriptor_(descriptor) {
    // What is said in pieces leaves in pieces.
    const int on = 1;
    ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  ~Visitor() { ::close(descriptor_); }

  // The next request with its body; empty when the client is gone.
  std::string request() {
    while (true) {
      const std::size_t head = bytes_.find("\r\n\r\n");
      if (head != std::string::npos) {
        const std::size_t at = bytes_.find("Content-Length: ");
        const std::size_t length = at < head ? std::stoul(bytes_.substr(at + 16)) : 0;
        if (bytes_.size() >= head + 4 + length) {
          std::string all = bytes_.substr(0, head + 4 + length);
          bytes_.erase(0, all.size());
          return all;
        }
      }
      char piece[4096];
      const ssize_t count = ::recv(descriptor_, piece, sizeof piece, 0);
      if (count <= 0) return {};
      bytes_.append(piece, static_cast<std::size_t>(count));
    }
  }
  void say(std::string_view bytes) {
    (void)::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void answer(int status, const std::string& body, const std::string& fields = {}) {
    const bool refused = status >= 400;
    say("HTTP/1.1 " + std::to_string(status) + " Whatever\r\nContent-Type: application/" +
        (refused ? "problem+json" : "json") + "\r\nContent-Length: " + std::to_string(body.size()) +
        "\r\n" + fields + "\r\n" + body);
  }
  // Waits until the client has closed.
  bool sees_the_end() { return request().empty(); }

 private:
  int descriptor_;
  std::string bytes_;
};

class ScriptedServer {
 public:
  using Script = std::function<void(Visitor&)>;

  // One script for each connection, in their order. Further ones are closed at once.
  explicit ScriptedServer(std::vector<Script> scripts) : scripts_(std::move(scripts)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 16), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    EXPECT_EQ(::pipe(stop_), 0);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  // The client must be gone, or its scripts at their end.
  ~ScriptedServer() {
    (void)!::write(stop_[1], "x", 1);
    acceptor_.join();
    for (std::thread& thread : threads_)
      thread.join();
    for (const int descriptor : {listener_, stop_[0], stop_[1]})
      ::close(descriptor);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::size_t connections() const {
    const std::lock_guard lock(mutex_);
    return threads_.size();
  }

 private:
  void accept_all() {
    while (true) {
      pollfd waiting[2] = {{listener_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
      ::poll(waiting, 2, -1);
      if (waiting[1].revents != 0) return;
      const int descriptor = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (descriptor < 0) continue;
      const std::lock_guard lock(mutex_);
      const std::size_t number = threads_.size();
      threads_.emplace_back([this, descriptor, number] {
        Visitor visitor(descriptor);
        if (number < scripts_.size()) scripts_[number](visitor);
      });
    }
  }

  std::vector<Script> scripts_;
  int listener_ = -1;
  int stop_[2] = {-1, -1};
  int port_ = 0;
  mutable std::mutex mutex_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace baton::client
