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
#include "json/flaw.h"

namespace baton::cli {
namespace {

struct WorkRequest {
  ServerRequest server;
  std::vector<std::string> queues;
  std::vector<std::string> types;  // empty: all
  std::string command;
  int concurrency = 1;
  std::string name;   // of the worker; empty: made up
  std::string grace;  // from SIGTERM to SIGKILL; empty: ten seconds
};

// The longest text that the system passes on in one variable is 128 KiB.
constexpr std::size_t kMaxVariable = 100'000;
constexpr std::int64_t kRepeatComplaintMs = 30'000;

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
//   75 and all that have no row: TemporaryError; 64, 65: PermanentError; 77: RejectedError;
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

// kSuccess unless a second signal cut a job short.
int run_work(const WorkRequest& request) {
  // The shell takes an empty command for a success, and every job would be done by nothing.
  if (is_blank(request.command)) return refuse("--exec needs a command");
  if (std::any_of(request.queues.begin(), request.queues.end(), is_blank))
    return refuse("--queue needs a name");
  std::optional<Duration> grace = Duration(10'000);
  if (!take_duration("--grace", request.grace, grace, "10s")) return kWrongUsage;
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
  if (const Status started = worker.start(); !started) return refuse(error_text(started.error()));
  return work_until_told(worker, signals);
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
       "by its exit code: 0 done, 75 try again, 64 and 65 never try again, 77 rejected, others "
       "try\n"
       "again; the last line on standard error is the message.\n"
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
  work.option("--grace", &WorkRequest::grace, "From SIGTERM to SIGKILL, 10s if not given");
}

}  // namespace baton::cli
