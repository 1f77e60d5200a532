#include "cli/work.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/json_writer.h"
#include "baton/worker.h"
#include "cli/command_ending.h"
#include "cli/shell_command.h"
#include "cli/stop_signals.h"
#include "cli/terminal.h"
#include "cli/times.h"

namespace baton::cli {
namespace {

// The longest text that the system passes on in one variable is 128 KiB.
constexpr std::size_t kMaxVariable = 100'000;
constexpr std::int64_t kRepeatComplaintMs = 30'000;

std::vector<std::string> environment_of(const Context& context) {
  const Job& job = context.job();
  std::vector<std::string> all = {
      "BATON_JOB_ID=" + job.id,
      "BATON_EXECUTION_ID=" + context.execution_id(),
      "BATON_QUEUE=" + job.spec.queue,
      "BATON_TYPE=" + job.spec.type,
      "BATON_ATTEMPT=" + std::to_string(job.attempt),
      "BATON_MAX_ATTEMPTS=" + std::to_string(job.max_attempts),
      "BATON_CONTENT_TYPE=" + job.spec.content_type,
      "BATON_CORRELATION_ID=" + job.spec.correlation_id,
      "BATON_TIME_LEFT_MS=" + std::to_string(context.time_left().ms),
  };
  const std::string checkpoint = context.checkpoint();
  const bool fits = checkpoint.size() <= kMaxVariable && checkpoint.find('\0') == std::string::npos;
  all.push_back("BATON_CHECKPOINT=" + (fits ? checkpoint : ""));
  if (!job.spec.traceparent.empty()) all.push_back("TRACEPARENT=" + job.spec.traceparent);
  return all;
}

// Says how each job went, and what went wrong with the server. Any thread.
class Journal {
 public:
  explicit Journal(bool json) : json_(json) {}

  void tell(const Context& context, const ShellEnding& ending, std::int64_t ms) {
    const std::string& type = context.job().spec.type;
    std::string text;
    const std::string how = ending_text(ending);
    if (json_) {
      base::JsonWriter json(text);
      json.begin_object();
      json.key("job_id");
      json.string(context.job().id);
      json.key("type");
      json.string(type);
      json.key("attempt");
      json.number(context.attempt());
      json.key("ending");
      json.string(how);
      json.key("duration_ms");
      json.number(ms);
      json.end_object();
    } else {
      const bool good = how == "exit 0";
      text = context.job().id + "  " + printable(type) + "  attempt " +
             std::to_string(context.attempt()) + "  " +
             coloured(how, good ? Tone::kGood : Tone::kBad) + "  " + duration_text(Duration(ms));
    }
    const std::lock_guard lock(mutex_);
    (void)print(text + "\n");
  }

  // The same trouble again and again is told every half minute.
  void tell(const Error& error) {
    const std::string text = error_text(error);
    const std::int64_t now = clock_.monotonic().ms;
    const std::lock_guard lock(mutex_);
    if (text == last_ && now - last_at_ < kRepeatComplaintMs) return;
    last_ = text;
    last_at_ = now;
    complain(text);
  }

 private:
  bool json_;
  std::mutex mutex_;
  base::SystemClock clock_;
  std::string last_;
  std::int64_t last_at_ = 0;
};

struct Setting {
  std::string command;
  Duration grace;
};

std::optional<Outcome> run_job(Context& context, const Setting& setting, Journal& journal) {
  const base::SystemClock clock;
  const std::int64_t begun = clock.monotonic().ms;
  const ShellCommand command{.line = setting.command,
                             .input = context.payload(),
                             .environment = environment_of(context),
                             .grace = setting.grace};
  const Result<ShellEnding> ending = run_shell(command, context.stop_token());
  if (!ending) throw TemporaryError(ending.error().message);
  journal.tell(context, *ending, clock.monotonic().ms - begun);
  return outcome_of(*ending);
}

int work_until_told(Worker& worker, const StopSignals& signals) {
  signals.wait();
  complain("finishing what runs; once more to stop it");
  std::atomic<bool> drained = false;
  std::thread draining([&] {
    worker.drain();
    drained = true;
  });
  bool clean = true;
  while (!drained) {
    if (!signals.wait(std::chrono::milliseconds(100))) continue;
    clean = worker.stop();
    break;
  }
  draining.join();
  return clean ? kSuccess : kFailure;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// What is wrong with the request, if anything is.
std::optional<std::string> fault_of(const WorkRequest& request) {
  // The shell takes an empty command for a success, and every job would be done by nothing.
  if (is_blank(request.command)) return "--exec needs a command";
  if (std::any_of(request.queues.begin(), request.queues.end(), is_blank))
    return "--queue needs a name";
  return std::nullopt;
}

}  // namespace

int run_work(const WorkRequest& request) {
  if (const auto fault = fault_of(request)) {
    complain(*fault);
    return kWrongUsage;
  }
  std::optional<Duration> grace = Duration(10'000);
  if (!request.grace.empty()) grace = parse_duration(request.grace);
  if (!grace) {
    complain("--grace must be a duration like 10s");
    return kWrongUsage;
  }
  const StopSignals signals;
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  Journal journal(request.server.json);
  const Setting setting{request.command, *grace};
  Worker worker(*client, {.name = request.name,
                          .queues = request.queues,
                          .concurrency = request.concurrency,
                          .on_error = [&](const Error& error) { journal.tell(error); }});
  const auto handler = [&](Context& context) { return run_job(context, setting, journal); };
  for (const std::string& type : request.types)
    worker.on(type, handler);
  if (request.types.empty()) worker.on_any(handler);
  if (const Status started = worker.start(); !started) {
    complain(error_text(started.error()));
    return kWrongUsage;
  }
  return work_until_told(worker, signals);
}

}  // namespace baton::cli
