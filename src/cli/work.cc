// `baton work`: a worker that runs a command of the shell for every job. It works until SIGTERM or
// SIGINT, then finishes what runs; a second signal ends the commands, too.
#include <sysexits.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/json_writer.h"
#include "baton/worker.h"
#include "cli/commands.h"
#include "cli/shell_command.h"
#include "cli/stop_signals.h"
#include "cli/terminal.h"
#include "cli/times.h"
#include "client/answers.h"
#include "json/flaw.h"

namespace baton::cli {
namespace {

struct WorkRequest {
  ServerRequest server;
  std::vector<std::string> queues;
  std::vector<std::string> types;  // empty: all
  std::string command;
  int concurrency = 1;
  std::string name;           // of the worker; empty: made up
  std::string grace;          // from SIGTERM to SIGKILL; empty: ten seconds
  std::string lease;          // empty: that of the job, at most 30 s
  std::string drain_timeout;  // empty: 25 s
};

// The longest text that the system passes on in one variable is 128 KiB.
constexpr std::size_t kMaxVariable = 100'000;
constexpr std::int64_t kRepeatComplaintMs = 30'000;
constexpr Duration kLookAgain{1'000};  // after exit 69
// A second signal counts when it comes later than this: some senders send two at once.
constexpr std::int64_t kOneSignalMs = 1'000;

// The results as JSON. Where they are too long for a variable, only their sizes are in it.
std::string dependency_results_of(const Context& context) {
  std::string text = client::write_dependency_results(context.dependency_results());
  if (text.size() <= kMaxVariable) return text;
  std::vector<DependencyResult> sizes = context.dependency_results();
  for (DependencyResult& one : sizes) {
    if (!one.result) continue;
    one.result_bytes = static_cast<std::int64_t>(one.result->bytes.size());
    one.result.reset();
  }
  return client::write_dependency_results(sizes);
}

std::vector<std::string> environment_of(const Context& context) {
  const Job& job = context.job();
  std::vector<std::string> all = {
      "BATON_JOB_ID=" + to_string(job.id),
      "BATON_EXECUTION_ID=" + to_string(context.execution_id()),
      "BATON_QUEUE=" + job.spec->queue,
      "BATON_TYPE=" + job.spec->type,
      "BATON_ATTEMPT=" + std::to_string(job.attempt),
      "BATON_MAX_ATTEMPTS=" + std::to_string(job.max_attempts),
      "BATON_CONTENT_TYPE=" + job.spec->content_type,
      "BATON_CORRELATION_ID=" + job.correlation_id,
      "BATON_TIME_LEFT_MS=" + std::to_string(context.time_left().ms),
  };
  const std::string checkpoint = context.checkpoint();
  const bool fits = checkpoint.size() <= kMaxVariable && checkpoint.find('\0') == std::string::npos;
  all.push_back("BATON_CHECKPOINT=" + (fits ? checkpoint : ""));
  all.push_back("BATON_DEPENDENCY_RESULTS=" + dependency_results_of(context));
  if (!job.spec->traceparent.empty()) all.push_back("TRACEPARENT=" + job.spec->traceparent);
  return all;
}

// "exit 75", "signal 9", for people.
std::string ending_text(const ShellEnding& ending) {
  if (ending.stopped) return "stopped";
  if (ending.signal != 0) return "signal " + std::to_string(ending.signal);
  return "exit " + std::to_string(ending.status);
}

// The result of a command that ended with 0: its output, as JSON when it is JSON; none when there
// was no output. Throws what a handler throws (see baton/context.h) for every other ending:
//   75 and all that have no row: TemporaryError; 64, 65: PermanentError; 77: RejectedError; 69:
//   Released, for a second;
//   a command that was asked to stop: Cancelled, whatever its code.
std::optional<Outcome> outcome_of(const ShellEnding& ending) {
  if (ending.stopped) throw Cancelled();
  const std::string message =
      ending.last_line.empty() ? "the command ended with " + ending_text(ending) : ending.last_line;
  switch (ending.status) {
    case EX_OK:
      if (ending.truncated) {
        throw PermanentError("the command's output is too long for a result", "result_too_long");
      }
      if (ending.output.empty()) return std::nullopt;
      return Outcome{
          .bytes = ending.output,
          .content_type = json::find_flaw(ending.output) ? "text/plain" : "application/json"};
    case EX_USAGE:
    case EX_DATAERR:
      throw PermanentError(message, "exit_" + std::to_string(ending.status));
    case EX_NOPERM:
      throw RejectedError(message);
    case EX_UNAVAILABLE:
      throw Released(message, kLookAgain);
    default:  // EX_TEMPFAIL is one of them
      throw TemporaryError(message);
  }
}

// Says how each job went, and what went wrong with the server. Any thread.
class Journal {
 public:
  explicit Journal(bool json) : json_(json) {}

  void tell(const Context& context, const ShellEnding& ending, std::int64_t ms) {
    const std::string& type = context.job().spec->type;
    std::string text;
    const std::string how = ending_text(ending);
    if (json_) {
      base::JsonWriter json(text);
      json.begin_object();
      json.member("job_id", to_string(context.job().id));
      json.member("type", type);
      json.member("attempt", context.attempt());
      json.member("ending", how);
      json.member("duration_ms", ms);
      json.end_object();
    } else {
      const bool good = how == "exit 0";
      text = to_string(context.job().id) + "  " + printable(type) + "  attempt " +
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

// What runs may end until the timeout, or a second signal; then it is stopped, and given back.
int work_until_told(Worker& worker, const StopSignals& signals, Duration drain_timeout) {
  signals.wait();
  const base::SystemClock clock;
  const std::int64_t told = clock.monotonic().ms;
  const std::int64_t dropped_before = worker.stats().dropped;
  complain("finishing what runs, for " + duration_text(drain_timeout) +
           " at most; once more to stop it now");
  std::atomic<bool> drained = false;
  std::thread draining([&] {
    worker.stop(drain_timeout);
    drained = true;
  });
  while (!drained) {
    if (!signals.wait(std::chrono::milliseconds(100))) continue;
    if (clock.monotonic().ms - told < kOneSignalMs) continue;
    worker.stop();
    break;
  }
  draining.join();
  return worker.stats().dropped == dropped_before ? kSuccess : kFailure;
}

// "queue a", "queues a, b".
std::string list_text(const std::vector<std::string>& queues) {
  std::string text = queues.size() == 1 ? "queue " : "queues ";
  for (const std::string& queue : queues)
    text += (&queue == &queues.front() ? "" : ", ") + printable(queue);
  return text;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// kSuccess unless the server could not be told how a job went that ran at the first signal.
int run_work(const WorkRequest& request) {
  // The shell takes an empty command for a success, and every job would be done by nothing.
  if (is_blank(request.command)) return refuse("--exec needs a command");
  if (std::any_of(request.queues.begin(), request.queues.end(), is_blank))
    return refuse("--queue needs a name");
  std::optional<Duration> grace = Duration(10'000);
  if (!take_duration("--grace", request.grace, grace, "10s")) return kWrongUsage;
  std::optional<Duration> lease;
  if (!take_duration("--lease", request.lease, lease, "30s")) return kWrongUsage;
  std::optional<Duration> drain_timeout = Duration(25'000);
  if (!take_duration("--drain-timeout", request.drain_timeout, drain_timeout, "25s"))
    return kWrongUsage;
  const StopSignals signals;
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  Journal journal(request.server.json);
  const Setting setting{request.command, *grace};
  Worker worker(*client, {.name = request.name,
                          .queues = request.queues,
                          .concurrency = request.concurrency,
                          .lease = lease,
                          .on_error = [&](const Error& error) { journal.tell(error); }});
  const auto handler = [&](Context& context) { return run_job(context, setting, journal); };
  for (const std::string& type : request.types)
    worker.on(type, handler);
  if (request.types.empty()) worker.on_any(handler);
  if (const Status started = worker.start(); !started) return refuse(error_text(started.error()));
  complain("working on " + list_text(request.queues) + " of " + server_url(request.server));
  return work_until_told(worker, signals, *drain_timeout);
}

}  // namespace

void add_work(Program& program) {
  const auto work = add_server_command(
      program,
      {"work", "Run a command of the shell for every job",
       "The payload is on standard input; BATON_JOB_ID, BATON_TYPE, BATON_ATTEMPT, "
       "BATON_CHECKPOINT\n"
       "and more are in the environment. What the command prints is the result. It says how it "
       "went\n"
       "by its exit code: 0 done, 75 try again, 64 and 65 never try again, 77 rejected, 69 give "
       "back\n"
       "without a failure, others try again; the last line on standard error is the message.\n"
       "Examples:\n"
       "  baton work --queue letters --exec './send-letter' --concurrency 4\n"
       "  baton work --queue default --type resize --exec 'jq .size'"},
      run_work);
  work.option("--queue", &WorkRequest::queues, "The queue; several, the first one first")
      ->allow_extra_args(false)
      ->required();
  work.option("--exec", &WorkRequest::command, "The command, for /bin/sh -c")->required();
  work.option("--type", &WorkRequest::types, "Only jobs of this type; several")
      ->allow_extra_args(false);
  work.option("--concurrency", &WorkRequest::concurrency, "Jobs at once, 1 to 1000")
      ->capture_default_str();
  work.option("--name", &WorkRequest::name, "How the server calls this worker");
  work.option("--lease", &WorkRequest::lease,
              "How long the server waits for a heartbeat; else the job's own, at most 30s");
  work.option("--drain-timeout", &WorkRequest::drain_timeout,
              "From the first signal until what runs is stopped and given back, 25s if not given");
  work.option("--grace", &WorkRequest::grace, "From SIGTERM to SIGKILL, 10s if not given");
}

}  // namespace baton::cli
