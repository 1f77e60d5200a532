#include "cli/serve.h"

#include <malloc.h>

#include <csignal>
#include <thread>

#include "cli/output.h"
#include "cli/stop_signals.h"
#include "server/descriptors.h"
#include "server/server.h"

namespace baton::cli {
namespace {

// How long requests that are under way may take after a signal.
constexpr Duration kDrainLimit = base::seconds(25);
// The same after the store has failed: every answer is a refusal, and none has to wait for it.
constexpr Duration kFailedDrainLimit = base::seconds(2);

int refuse(const Error& error) {
  complain(error.message);
  return kFailure;
}

std::string address(const server::Options& options, std::uint16_t port) {
  const bool six = options.host.find(':') != std::string::npos;
  const std::string host = six ? "[" + options.host + "]" : options.host;
  const std::string scheme = options.certificate_file.empty() ? "http://" : "https://";
  return scheme + host + ":" + std::to_string(port);
}

int run(const server::Options& options, const StopSignals& signals) {
  auto started = server::Server::start(options);
  if (!started) return refuse(started.error());
  server::Server& running = **started;
  const std::string ready = "baton: listening on " + address(options, running.port()) + "\n";
  // Whoever has closed standard output does not wait for the line.
  if (!output_was_closed()) {
    if (const int printed = print(ready); printed != kSuccess) return printed;
  }

  std::thread waiter([&] {
    signals.wait();
    running.stop();
  });
  const Status ended = running.wait();
  if (!ended) {
    (void)running.drain(kFailedDrainLimit);
    // The thread that waits for signals ends with the process.
    complain("the store failed, nothing more is acknowledged: " + ended.error().message);
    std::_Exit(kFailure);
  }
  waiter.join();
  if (running.drain(kDrainLimit)) return kSuccess;
  complain("stopped with requests still open");
  return kSuccess;
}

}  // namespace

int run_serve(const ServeRequest& request) {
  const StopSignals signals;
  // A file that may not grow any more is a write that fails, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  server::raise_descriptor_limit();
  // A large answer or body is memory of its own, which the system has back as soon as it is freed.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  server::Options options;
  if (const auto parsed = server::parse_listen(request.listen, options); !parsed) {
    complain(parsed.error().message);
    return kWrongUsage;
  }
  if (request.threads < 1 || request.threads > 64) {
    complain("threads must be from 1 to 64");
    return kWrongUsage;
  }
  if (request.certificate.empty() != request.key.empty()) {
    complain("--tls-cert and --tls-key belong together");
    return kWrongUsage;
  }
  options.store = request.store;
  options.threads = static_cast<std::size_t>(request.threads);
  options.certificate_file = request.certificate;
  options.key_file = request.key;
  options.allowed_hosts = request.allowed_hosts;
  options.accept_clock = request.accept_clock;
  options.notice = [](const std::string& notice) { complain(notice); };
  return run(options, signals);
}

}  // namespace baton::cli
