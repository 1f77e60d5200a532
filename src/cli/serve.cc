// `baton serve`: runs a server until it is told to stop.
#include <malloc.h>

#include <csignal>
#include <thread>

#include "cli/commands.h"
#include "cli/stop_signals.h"
#include "server/descriptors.h"
#include "server/server.h"

namespace baton::cli {
namespace {

struct ServeRequest {
  std::string listen = "127.0.0.1:2286";
  std::string store = "file:./baton-data";
  std::string config;                      // --config FILE; empty: none
  std::string certificate;                 // --tls-cert FILE
  std::string key;                         // --tls-key FILE
  int threads = 1;                         // --threads N
  std::vector<std::string> allowed_hosts;  // --allow-host NAME, any number of them
  bool accept_clock = false;               // --accept-clock
};

// How long requests that are under way may take after a signal.
constexpr Duration kDrainLimit = base::seconds(25);
// The same after the store has failed: every answer is a refusal, and none has to wait for it.
constexpr Duration kFailedDrainLimit = base::seconds(2);

std::string address(const server::Options& options, std::uint16_t port) {
  const bool six = options.host.find(':') != std::string::npos;
  const std::string host = six ? "[" + options.host + "]" : options.host;
  const std::string scheme = options.certificate_file.empty() ? "http://" : "https://";
  return scheme + host + ":" + std::to_string(port);
}

int run(const server::Options& options, const StopSignals& signals) {
  auto started = server::Server::start(options);
  if (!started) return fail(started.error().message);
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

// Prints one line when the server is ready. SIGTERM and SIGINT drain it. kSuccess after that;
// kFailure, with a line on standard error, when it cannot start or the store fails.
int run_serve(const ServeRequest& request) {
  const StopSignals signals;
  // A file that may not grow any more is a write that fails, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  server::raise_descriptor_limit();
  // A large answer or body is memory of its own, which the system has back as soon as it is freed.
  ::mallopt(M_MMAP_THRESHOLD, 1 << 20);
  server::Options options;
  if (const auto parsed = server::parse_listen(request.listen, options); !parsed)
    return refuse(parsed.error().message);
  if (request.threads < 1 || request.threads > 64) return refuse("threads must be from 1 to 64");
  if (request.certificate.empty() != request.key.empty())
    return refuse("--tls-cert and --tls-key belong together");
  options.store = request.store;
  options.threads = static_cast<std::size_t>(request.threads);
  options.certificate_file = request.certificate;
  options.key_file = request.key;
  options.allowed_hosts = request.allowed_hosts;
  options.accept_clock = request.accept_clock;
  options.notice = [](const std::string& notice) { complain(notice); };
  return run(options, signals);
}

// Gives the command what the file says and the command line does not: one `name = value` a line,
// named as on the command line, `#` before a remark. Throws CLI::ParseError for a file that cannot
// be read, a name that is no option of the command, or a value that it refuses.
void take_config_file(CLI::App& command, const std::string& file) {
  for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_file(file)) {
    if (item.name == "++" || item.name == "--") continue;  // where a section begins and ends
    // A list has a name of its own in the file.
    const std::string name = item.name == "allow_hosts" ? "allow-host" : item.name;
    CLI::Option* option = command.get_option_no_throw("--" + name);
    if (!item.parents.empty() || option == nullptr || item.name == "config") {
      throw CLI::ConfigError(file + ": there is no option \"" + item.fullname() + "\"");
    }
    if (option->count() > 0) continue;
    option->add_result(item.inputs);
    option->run_callback();
  }
}

}  // namespace

void add_serve(Program& program) {
  const auto serve =
      add_command(program,
                  {"serve", "Run a server",
                   "Examples:\n  baton serve --listen 127.0.0.1:2286 --store file:./baton-data\n"
                   "  baton serve --config baton.toml"},
                  run_serve);
  serve.option("--listen", &ServeRequest::listen, "HOST:PORT; port 0 picks a free one")
      ->capture_default_str();
  serve.option("--store", &ServeRequest::store, "The store: file:DIR or memory:")
      ->capture_default_str();
  serve.option("--threads", &ServeRequest::threads, "Threads that serve connections")
      ->capture_default_str();
  serve.option("--tls-cert", &ServeRequest::certificate, "Certificate file, for TLS");
  serve.option("--tls-key", &ServeRequest::key, "Key file, for TLS");
  serve.option("--allow-host", &ServeRequest::allowed_hosts,
               "A name by which the server may be called, and whose pages may call it");
  serve.flag("--accept-clock", &ServeRequest::accept_clock,
             "Open the store though the clock is more than 30 days after its last change");
  serve.option("--config", &ServeRequest::config,
               "File with 'option = value' lines; the command line goes before it");
  serve.app->callback([&program, serve] {
    if (!serve.request->config.empty()) take_config_file(*serve.app, serve.request->config);
    program.run = [serve] { return run_serve(*serve.request); };
  });
}

}  // namespace baton::cli
