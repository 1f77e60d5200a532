// What one call costs the program that makes it, through baton::Client.
//
//   bench_client http://127.0.0.1:2286 [--threads 1] [--seconds 3]
//
// Needs a server that runs already. Each thread submits a job, claims one and acknowledges it,
// again and again, all with one Client. "cpu" is this process's time alone, user and system.
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "baton/client.h"

namespace baton::bench {
namespace {

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "bench_client: %s\n", error.message.c_str());
  std::exit(1);
}

template <class T>
T checked(Result<T> result) {
  if (!result) fail(result.error());
  return *std::move(result);
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// How many calls were made.
long round_of_calls(Client& client, const std::string& queue) {
  checked(client.submit({.type = "bench", .queue = queue, .payload = R"({"text":"a small job"})"})
              .get());
  const auto claimed = checked(client.claim({.queues = {queue}, .worker = "bench"}).get());
  if (claimed.empty()) return 2;
  checked(checked(client
                      .work({{.execution = claimed[0].execution,
                              .token = claimed[0].token,
                              .call = AckCall{}}})
                      .get())
              .front());
  return 3;
}

void run(const std::string& url, int threads, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto client = checked(Client::open({.url = url}));
  const std::string queue = "bench-client-" + std::to_string(::getpid());
  round_of_calls(*client, queue);
  std::atomic<long> calls = 0;
  const double cpu = cpu_seconds();
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  {
    std::vector<std::jthread> running;
    running.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i)
      running.emplace_back([&] {
        while (elapsed() < seconds)
          calls += round_of_calls(*client, queue);
      });
  }
  const double made = static_cast<double>(calls);
  std::printf("%d threads: %.0f calls/s, cpu %.1f us a call\n", threads, made / elapsed(),
              (cpu_seconds() - cpu) / made * 1e6);
}

}  // namespace
}  // namespace baton::bench

int main(int count, char** words) {
  std::string url;
  int threads = 1;
  double seconds = 3;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--threads" && i + 1 < count) {
      threads = std::atoi(words[++i]);
    } else if (word == "--seconds" && i + 1 < count) {
      seconds = std::atof(words[++i]);
    } else {
      url = word;
    }
  }
  baton::bench::run(url, threads, seconds);
}
