// Requests a second of the HTTP server, with a handler that answers at once.
//
//   bench_http [--seconds 1] [--connections 16] [--threads 1] [--rounds 5]
//
// The clients are in the same process, on one thread with an epoll of its own, and share the
// computer with the server, so that the figures are a lower bound. Each keeps `depth` requests
// of 130 bytes in flight: it sends them with one write, reads the answers, and begins again; depth
// 1 is a client that does not pipeline. Depths take turns in rounds, and the median of the rounds
// counts. "per call" is requests divided by the reads and writes that the server needed.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"

namespace baton::http::bench {
namespace {

constexpr std::size_t kDepths[] = {1, 4, 16, 64};
constexpr std::string_view kBody = R"({"ok":true,"state":"COMPLETED"})";
constexpr std::string_view kRequest =
    "POST /v1/executions/1/ack HTTP/1.1\r\nHost: localhost:2286\r\n"
    "Content-Type: application/json\r\nContent-Length: 17\r\n\r\n"
    R"({"lease_token":1})";

struct Options {
  double seconds = 1;
  std::size_t connections = 16;
  std::size_t threads = 1;
  std::size_t rounds = 5;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_http: %s\n", what.c_str());
  std::exit(1);
}

class Answers final : public RequestHandler {
 public:
  void handle(const Request&, Responder responder) override {
    responder.send({.content_type = "application/json", .body = std::string(kBody)});
  }
};

// One connection: counts answers by their known end.
class Client {
 public:
  Client(std::uint16_t port, std::size_t depth) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      fail("cannot connect");
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    for (std::size_t i = 0; i < depth; ++i)
      burst_ += kRequest;
    depth_ = depth;
  }
  ~Client() { ::close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  int descriptor() const { return socket_; }
  void send() {
    waiting_ = depth_;
    if (::send(socket_, burst_.data(), burst_.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(burst_.size()))
      fail("cannot send");
  }
  // Reads what is there; how many answers ended in it.
  std::size_t read() {
    const ssize_t count = ::recv(socket_, buffer_, sizeof(buffer_), 0);
    if (count <= 0) fail("the server has closed");
    // Every answer has the same length, which the first one tells.
    received_ += static_cast<std::size_t>(count);
    if (answer_bytes_ == 0) {
      const std::string_view first(buffer_, static_cast<std::size_t>(count));
      answer_bytes_ = first.find(kBody) + kBody.size();
    }
    const std::size_t done = received_ / answer_bytes_;
    received_ -= done * answer_bytes_;
    waiting_ -= done;
    return done;
  }
  bool idle() const { return waiting_ == 0; }

 private:
  int socket_;
  std::string burst_;
  std::size_t depth_ = 0;
  std::size_t waiting_ = 0;
  std::size_t received_ = 0;
  std::size_t answer_bytes_ = 0;
  char buffer_[65536];
};

struct Figures {
  double requests_per_second = 0;
  double per_call = 0;
  double cpu_us = 0;  // of the server's threads, for each request
};

double cpu_seconds(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The clients run on this thread; everything else is the server.
double server_cpu_seconds() { return cpu_seconds(RUSAGE_SELF) - cpu_seconds(RUSAGE_THREAD); }

Figures measure(const Options& options, std::size_t depth) {
  Answers answers;
  ServerOptions server_options;
  server_options.threads = options.threads;
  auto server = HttpServer::start(server_options, answers);
  if (!server) fail(server.error().message);

  const int poll = ::epoll_create1(0);
  std::vector<std::unique_ptr<Client>> clients;
  for (std::size_t i = 0; i < options.connections; ++i) {
    clients.push_back(std::make_unique<Client>((*server)->port(), depth));
    epoll_event event{.events = EPOLLIN, .data = {.ptr = clients.back().get()}};
    ::epoll_ctl(poll, EPOLL_CTL_ADD, clients.back()->descriptor(), &event);
  }
  const auto start = std::chrono::steady_clock::now();
  const double cpu = server_cpu_seconds();
  double elapsed = 0;
  std::size_t requests = 0;
  for (const auto& client : clients)
    client->send();
  while (elapsed < options.seconds) {
    epoll_event events[64];
    const int ready = ::epoll_wait(poll, events, 64, 1000);
    for (int i = 0; i < ready; ++i) {
      auto& client = *static_cast<Client*>(events[i].data.ptr);
      requests += client.read();
      if (client.idle()) client.send();
    }
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  const ServerStats stats = (*server)->stats();
  Figures figures;
  figures.requests_per_second = static_cast<double>(requests) / elapsed;
  figures.per_call =
      static_cast<double>(stats.requests) / static_cast<double>(stats.reads + stats.writes);
  figures.cpu_us = (server_cpu_seconds() - cpu) * 1e6 / static_cast<double>(requests);
  ::close(poll);
  return figures;
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) fail("no value after " + std::string(name));
    const double value = std::atof(argv[i + 1]);
    if (value <= 0) fail("not a number above zero: " + std::string(argv[i + 1]));
    if (name == "--seconds") {
      options.seconds = value;
    } else if (name == "--connections") {
      options.connections = static_cast<std::size_t>(value);
    } else if (name == "--threads") {
      options.threads = static_cast<std::size_t>(value);
    } else if (name == "--rounds") {
      options.rounds = static_cast<std::size_t>(value);
    } else {
      fail("unknown option " + std::string(name));
    }
  }
  return options;
}

void run(const Options& options) {
  std::map<std::size_t, std::vector<Figures>> rounds;
  for (std::size_t round = 0; round < options.rounds; ++round)
    for (const std::size_t depth : kDepths)
      rounds[depth].push_back(measure(options, depth));
  std::printf("%zu connections, %zu server threads, median of %zu rounds of %.1f s\n",
              options.connections, options.threads, options.rounds, options.seconds);
  std::printf("%6s %14s %10s %18s\n", "depth", "requests/s", "per call", "server us/request");
  for (auto& [depth, figures] : rounds) {
    std::sort(figures.begin(), figures.end(), [](const Figures& a, const Figures& b) {
      return a.requests_per_second < b.requests_per_second;
    });
    const Figures& median = figures[figures.size() / 2];
    std::printf("%6zu %14.0f %10.2f %18.2f\n", depth, median.requests_per_second, median.per_call,
                median.cpu_us);
  }
}

}  // namespace
}  // namespace baton::http::bench

int main(int argc, char** argv) {
  baton::http::bench::run(baton::http::bench::read_options(argc, argv));
}
