// How long the Machine takes for a command and how much memory a waiting job costs, by how many
// jobs wait. The Machine alone: the changes of each turn are dropped, and the archive is empty.
//
//   bench_machine [--depths 1000,1000000,10000000] [--ops 262144] [--json FILE]
//
// Times are CPU time of the thread within turn(), so that other programs on the machine disturb
// them little; commands are made before, answers destroyed after. Operations go in rounds of 1,024,
// and the median of the rounds counts, except for filling, which is the mean. The depth stays:
// every round submits, claims and acknowledges the same number of jobs. What is compared with each
// other runs in processes of its own, each with a heap of its own, and they take turns of some
// rounds, so that a slow moment of the computer meets all of them.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "machine_load.h"

namespace baton::store::local::bench {
namespace {

struct Options {
  std::vector<std::int64_t> depths = {1'000, 1'000'000, 10'000'000};
  std::size_t ops = 256 * kRound;  // of each verb at each depth
  std::string json;
};

// ---- Processes that take turns ----------------------------------------------------------------

// What one process measures.
struct Case {
  std::int64_t waiting = 0;  // jobs that stay waiting
  std::string waiting_type = "t";
  std::vector<std::string> claim_types = {};
  std::size_t turn = kTurn;
};

struct Outcomes {
  Verbs verbs;
  Filled filled;
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "bench_machine: %s\n", what);
  std::_Exit(1);
}

// A child that fills its Machine, runs a stretch of rounds whenever it is told to, and sends its
// outcomes when it is told to finish. It dies with its parent.
class Process {
 public:
  explicit Process(const Case& one) {
    int down[2];
    int up[2];
    if (pipe(down) != 0 || pipe(up) != 0) fail("no pipe");
    std::fflush(stdout);
    pid_ = fork();
    if (pid_ < 0) fail("no process");
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(down[1]);
      close(up[0]);
      work(one, down[0], up[1]);
    }
    close(down[0]);
    close(up[1]);
    to_ = down[1];
    from_ = up[0];
    wait_for_answer();
  }

  void stretch() {
    tell(kGo);
    wait_for_answer();
  }

  Outcomes finish() {
    tell(kFinish);
    close(to_);
    Outcomes outcomes;
    if (read(from_, &outcomes, sizeof outcomes) != sizeof outcomes) fail("a process is gone");
    close(from_);
    waitpid(pid_, nullptr, 0);
    return outcomes;
  }

 private:
  static constexpr char kGo = 'g';
  static constexpr char kFinish = 'f';

  [[noreturn]] static void work(const Case& one, int in, int out) {
    Load load(submission("t"), one.claim_types, one.turn);
    Outcomes outcomes;
    outcomes.filled = fill_to(load, one.waiting, submission(one.waiting_type));
    char told = kGo;
    while (true) {
      if (write(out, &told, 1) != 1 || read(in, &told, 1) != 1) fail("the parent is gone");
      if (told == kFinish) break;
      for (std::size_t round = 0; round < kStretch; ++round)
        load.round();
    }
    outcomes.verbs = load.verbs();
    if (write(out, &outcomes, sizeof outcomes) != sizeof outcomes) fail("the parent is gone");
    std::_Exit(0);  // Taking ten million jobs apart is not what is measured.
  }

  void tell(char what) {
    if (write(to_, &what, 1) != 1) fail("a process is gone");
  }

  void wait_for_answer() {
    char byte = 0;
    if (read(from_, &byte, 1) != 1) fail("a process is gone");
  }

  pid_t pid_ = 0;
  int to_ = -1;
  int from_ = -1;
};

// `ops` of each verb in each of the cases.
std::vector<Outcomes> compare(const std::vector<Case>& cases, std::size_t ops) {
  std::vector<Process> processes;
  processes.reserve(cases.size());
  for (const Case& one : cases)
    processes.emplace_back(one);
  for (std::size_t done = 0; done < ops; done += kStretch * kRound) {
    for (Process& process : processes)
      process.stretch();
  }
  std::vector<Outcomes> outcomes;
  outcomes.reserve(processes.size());
  for (Process& process : processes)
    outcomes.push_back(process.finish());
  return outcomes;
}

// ---- What is reported -------------------------------------------------------------------------

struct Figure {
  std::string name;
  std::int64_t waiting = 0;
  std::size_t turn = 0;
  double value = 0;
  std::string unit;
};

class Report {
 public:
  void add(std::string name, std::int64_t waiting, std::size_t turn, double value,
           std::string unit = "ns") {
    figures_.push_back({std::move(name), waiting, turn, value, std::move(unit)});
  }
  void add(const Verbs& verbs, const std::string& prefix, std::int64_t waiting, std::size_t turn) {
    add(prefix + "submit", waiting, turn, verbs.submit);
    add(prefix + "claim", waiting, turn, verbs.claim);
    add(prefix + "ack", waiting, turn, verbs.ack);
  }

  // False when the file cannot be written.
  bool write(const std::string& path) const {
    std::string text;
    base::JsonWriter json(text, base::JsonWriter::Layout::kPretty);
    json.begin_array();
    for (const Figure& figure : figures_) {
      json.begin_object();
      json.key("name"), json.string(figure.name);
      json.key("waiting"), json.number(figure.waiting);
      json.key("turn"), json.number(static_cast<std::int64_t>(figure.turn));
      json.key("value"), json.real(figure.value);
      json.key("unit"), json.string(figure.unit);
      json.end_object();
    }
    json.end_array();
    std::ofstream file(path);
    file << text << '\n';
    return static_cast<bool>(file.flush());
  }

 private:
  std::vector<Figure> figures_;
};

void print(std::int64_t label, const Verbs& verbs) {
  std::printf("%12lld %8.0f %8.0f %8.0f", static_cast<long long>(label), verbs.submit, verbs.claim,
              verbs.ack);
}

void print_ratio(const Options& options, const Verbs& first, const Verbs& last, Report& report) {
  const Verbs ratio = {last.submit / first.submit, last.claim / first.claim, last.ack / first.ack};
  std::printf("%12s %8.2f %8.2f %8.2f\n", "last/first", ratio.submit, ratio.claim, ratio.ack);
  report.add("submit_last_to_first", options.depths.back(), kTurn, ratio.submit, "ratio");
  report.add("claim_last_to_first", options.depths.back(), kTurn, ratio.claim, "ratio");
  report.add("ack_last_to_first", options.depths.back(), kTurn, ratio.ack, "ratio");
}

void depths(const Options& options, Report& report) {
  std::vector<Case> cases;
  for (std::int64_t depth : options.depths)
    cases.push_back({.waiting = depth});
  const auto results = compare(cases, options.ops);
  std::printf("turns of %zu commands, one job each                  bytes per waiting job\n",
              kTurn);
  std::printf("%12s %8s %8s %8s %8s %10s %10s\n", "waiting", "submit", "claim", "ack", "fill",
              "heap", "resident");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& [verbs, filled] = results[i];
    const std::int64_t depth = cases[i].waiting;
    report.add(verbs, "", depth, kTurn);
    report.add("fill", depth, 1, filled.ns);
    report.add("heap_bytes_per_job", depth, 1, filled.heap, "bytes");
    report.add("resident_bytes_per_job", depth, 1, filled.resident, "bytes");
    print(depth, verbs);
    std::printf(" %8.0f %10.0f %10.0f\n", filled.ns, filled.heap, filled.resident);
  }
  if (cases.size() > 1) print_ratio(options, results.front().verbs, results.back().verbs, report);
}

void turn_sizes(const Options& options, Report& report) {
  constexpr std::int64_t kDepth = 1'000;
  std::vector<Case> cases;
  for (std::size_t size : {std::size_t{1}, std::size_t{16}, std::size_t{256}})
    cases.push_back({.waiting = kDepth, .turn = size});
  const auto results = compare(cases, options.ops);
  std::printf("\nturns of different sizes, %lld waiting\n", static_cast<long long>(kDepth));
  std::printf("%12s %8s %8s %8s\n", "commands", "submit", "claim", "ack");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    report.add(results[i].verbs, "turn_", kDepth, cases[i].turn);
    print(static_cast<std::int64_t>(cases[i].turn), results[i].verbs);
    std::printf("\n");
  }
}

void claim_by_type(const Options& options, Report& report) {
  std::vector<Case> cases;
  for (std::int64_t front : {std::int64_t{0}, kMany})
    cases.push_back({.waiting = front, .waiting_type = "other", .claim_types = {"t"}});
  const auto results = compare(cases, options.ops);
  std::printf("\nclaim by type, jobs of another type in front\n");
  std::printf("%12s %8s %8s %8s\n", "in front", "submit", "claim", "ack");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    report.add(results[i].verbs, "by_type_", cases[i].waiting, kTurn);
    print(cases[i].waiting, results[i].verbs);
    std::printf("\n");
  }
}

// Delayed jobs whose times are spread over an hour.
auto delayed(base::Random& random) {
  return [&random](std::int64_t) {
    auto job = submission("t");
    job->delay = base::milliseconds(60'000 + static_cast<std::int64_t>(random.below(3'600'000)));
    return std::shared_ptr<const Submission>(std::move(job));
  };
}

// The time of one job that falls due, over two hours in turns 100 ms apart.
double fire_all(Subject& subject) {
  double ns = 0;
  std::int64_t fired = 0;
  for (int step = 0; step < 72'000 && fired < kMany; ++step) {
    subject.now = subject.now + base::milliseconds(99);
    Subject::Turns turns(1);
    turns.front().emplace_back(RunTimers{});
    const auto answers = subject.run(std::move(turns), ns);
    fired += expect<TimersAnswer>(answers.front()).fired;
  }
  if (fired < kMany) {
    std::fprintf(stderr, "bench_machine: only %lld timers fired\n", static_cast<long long>(fired));
    std::exit(1);
  }
  return ns / static_cast<double>(kMany);
}

// Adds delayed jobs one command each, and cancels them all in the order of their creation.
Verbs add_and_cancel(Subject& subject, std::size_t count) {
  base::Random random(2);
  const auto make = delayed(random);
  std::vector<JobId> ids;
  std::vector<double> add;
  std::vector<double> cancel;
  for (std::size_t done = 0; done < count; done += kRound) {
    double ns = 0;
    const auto answers =
        subject.run(turns_of(kRound, kTurn, [&](std::size_t) { return submit_of(make(0)); }), ns);
    for (const Answer& answer : answers)
      ids.push_back(expect<SubmitAnswer>(answer).results.at(0)->id);
    add.push_back(ns / static_cast<double>(kRound));
  }
  for (std::size_t done = 0; done < count; done += kRound) {
    double ns = 0;
    const auto answers = subject.run(
        turns_of(kRound, kTurn,
                 [&](std::size_t i) {
                   return Command(CancelJob{.id = ids[done + i], .force = false, .reason = ""});
                 }),
        ns);
    for (const Answer& answer : answers)
      expect<JobAnswer>(answer);
    cancel.push_back(ns / static_cast<double>(kRound));
  }
  return {.submit = median(add), .claim = 0, .ack = median(cancel)};
}

void timers(Report& report) {
  std::printf("\n%lld delayed jobs, due within an hour\n", static_cast<long long>(kMany));
  std::printf("%12s %8s %8s\n", "add", "fire", "cancel");
  double fire = 0;
  {
    Subject subject;
    base::Random random(3);
    fill(subject, kMany, delayed(random));
    fire = fire_all(subject);
  }
  Subject subject;
  const Verbs verbs = add_and_cancel(subject, static_cast<std::size_t>(kMany) / kRound * kRound);
  report.add("timer_add", kMany, kTurn, verbs.submit);
  report.add("timer_fire", kMany, 1, fire);
  report.add("timer_cancel", kMany, kTurn, verbs.ack);
  std::printf("%12.0f %8.0f %8.0f\n", verbs.submit, fire, verbs.ack);
  std::fflush(stdout);
}

// Jobs with an idempotency key each, which the Machine keeps beside them.
void keys(Report& report) {
  malloc_trim(0);
  const double before = heap_bytes();
  Subject subject;
  const double ns = fill(subject, kMany, [](std::int64_t i) {
    auto job = submission("t");
    job->idempotency_key = "order-" + std::to_string(i);
    return std::shared_ptr<const Submission>(std::move(job));
  });
  const double bytes = (heap_bytes() - before) / static_cast<double>(kMany);
  report.add("keyed_fill", kMany, 1, ns);
  report.add("keyed_heap_bytes_per_job", kMany, 1, bytes, "bytes");
  std::printf("\n%lld jobs with an idempotency key: fill %.0f ns, heap %.0f bytes a job\n",
              static_cast<long long>(kMany), ns, bytes);
}

// ---- The command line -------------------------------------------------------------------------

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

bool read_depths(std::string_view text, std::vector<std::int64_t>& depths) {
  depths.clear();
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto depth = number(text.substr(0, comma));
    if (!depth) return false;
    depths.push_back(*depth);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return !depths.empty();
}

bool read_options(int count, char** words, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const std::string_view value = words[i + 1];
    if (name == "--json") {
      options.json = value;
    } else if (name == "--depths") {
      if (!read_depths(value, options.depths)) return false;
    } else if (const auto ops = number(value); name == "--ops" && ops) {
      options.ops = static_cast<std::size_t>(*ops);
    } else {
      return false;
    }
  }
  return count % 2 == 1;
}

int run(const Options& options) {
  std::printf("Machine: ns of CPU time per operation\n\n");
  Report report;
  depths(options, report);
  turn_sizes(options, report);
  claim_by_type(options, report);
  timers(report);
  keys(report);
  if (options.json.empty() || report.write(options.json)) return 0;
  std::fprintf(stderr, "bench_machine: cannot write %s\n", options.json.c_str());
  return 1;
}

}  // namespace
}  // namespace baton::store::local::bench

int main(int count, char** words) {
  baton::store::local::bench::Options options;
  if (!baton::store::local::bench::read_options(count, words, options)) {
    std::fprintf(stderr, "usage: bench_machine [--depths N,N,...] [--ops N] [--json FILE]\n");
    return 2;
  }
  return baton::store::local::bench::run(options);
}
