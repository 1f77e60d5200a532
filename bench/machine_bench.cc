// How long the Machine takes for a command and how much memory a waiting job costs, by how many
// jobs wait. The Machine alone: the changes of each turn are dropped, and the archive is empty.
//
//   bench_machine [--depths 1000,1000000,10000000] [--ops 262144] [--json FILE]
//
// Times are CPU time of the thread within turn(), so that other programs on the machine disturb
// them little; commands are made before, answers destroyed after. Operations go in rounds of 1,024,
// and the median of the rounds counts, except for filling, which is the mean. The depth stays:
// every round submits, claims and acknowledges the same number of jobs. What is compared with each
// other is measured in turn, some rounds each, so that a slow moment of the machine meets all.
#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "store/local/machine.h"

namespace baton::store::local {
namespace {

constexpr std::size_t kRound = 1024;  // operations between two looks at the clock
constexpr std::size_t kTurn = 256;    // commands in a turn, unless the turns are the subject
constexpr std::size_t kStretch = 16;  // rounds on one Machine before the next has its turn
constexpr std::int64_t kMany = 1'000'000;

struct Options {
  std::vector<std::int64_t> depths = {1'000, 1'000'000, 10'000'000};
  std::size_t ops = 256 * kRound;  // of each verb at each depth
  std::string json;
};

class EmptyArchive final : public Archive {
 public:
  std::shared_ptr<const JobRecord> find(const JobId&) const override { return nullptr; }
  std::vector<FinishedRef> finished(const std::string&, bool, Time, std::size_t) const override {
    return {};
  }
};

double cpu_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// Bytes that malloc has handed out and not got back.
double heap_bytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

// Bytes of this process that are in memory.
double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double size = 0;
  double resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// A Machine with a time of its own, which rises by a millisecond a turn.
struct Subject {
  using Turns = std::vector<std::vector<Command>>;

  // Runs the turns and adds the CPU time that they took.
  std::vector<Answer> run(Turns turns, double& ns) {
    std::vector<Turn> made;
    made.reserve(turns.size());
    const double begin = cpu_ns();
    for (std::vector<Command>& commands : turns) {
      now = now + base::milliseconds(1);
      made.push_back(machine.turn(std::move(commands), now, random));
    }
    ns += cpu_ns() - begin;
    std::vector<Answer> answers;
    for (Turn& turn : made)
      std::move(turn.answers.begin(), turn.answers.end(), std::back_inserter(answers));
    return answers;
  }

  Time now{1'700'000'000'000};
  base::Random random{1};
  EmptyArchive archive;
  Machine machine{archive};
};

template <class Expected>
const Expected& expect(const Answer& answer) {
  if (const auto* error = std::get_if<base::Error>(&answer)) {
    std::fprintf(stderr, "bench_machine: refused: %s\n", error->message.c_str());
    std::exit(1);
  }
  return std::get<Expected>(answer);
}

std::shared_ptr<Submission> submission(std::string type) {
  auto made = std::make_shared<Submission>();
  made->type = std::move(type);
  made->payload = "{}";
  return made;
}

Command submit_of(std::shared_ptr<const Submission> job) {
  SubmitBatch batch;
  batch.jobs.push_back(std::move(job));
  return batch;
}

Command claim_of(const std::vector<std::string>& types) {
  ClaimRequest request;
  request.queues = {"default"};
  request.types = types;
  request.worker = "w";
  return request;
}

Command ack_of(const Claimed& claimed) {
  WorkCall call;
  call.kind = lifecycle::CallKind::kAck;
  call.execution = claimed.execution;
  call.token = claimed.facts.execution.token;
  return call;
}

// `count` commands in turns of `size`, each made by `make(index)`.
template <class Make>
Subject::Turns turns_of(std::size_t count, std::size_t size, Make make) {
  Subject::Turns turns;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % size == 0) turns.emplace_back().reserve(size);
    turns.back().push_back(make(i));
  }
  return turns;
}

// Adds jobs in batches of 1,000; `make(index)` gives each submission. The mean time of a job.
template <class Make>
double fill(Subject& subject, std::int64_t count, Make make) {
  double ns = 0;
  for (std::int64_t done = 0; done < count;) {
    SubmitBatch batch;
    for (; done < count && batch.jobs.size() < lifecycle::kMaxBatch; ++done)
      batch.jobs.push_back(make(done));
    std::vector<Command> commands;
    commands.emplace_back(std::move(batch));
    Subject::Turns turns;
    turns.push_back(std::move(commands));
    const auto answers = subject.run(std::move(turns), ns);
    if (expect<SubmitAnswer>(answers.front()).refused) std::exit(1);
  }
  return ns / static_cast<double>(count);
}

struct Verbs {
  double submit = 0;
  double claim = 0;
  double ack = 0;
};

// A Machine at one depth, and the work that keeps it there.
class Load {
 public:
  Load(std::shared_ptr<const Submission> job, std::vector<std::string> types, std::size_t turn)
      : job_(std::move(job)), types_(std::move(types)), turn_(turn) {}

  // Submits, claims and acknowledges as many jobs, so that the depth stays.
  void round() {
    const auto submitted = timed(submit_, [&](std::size_t) { return submit_of(job_); });
    for (const Answer& answer : submitted)
      if (!expect<SubmitAnswer>(answer).results.at(0).ok()) std::exit(1);
    const auto claimed = timed(claim_, [&](std::size_t) { return claim_of(types_); });
    const auto acked = timed(ack_, [&](std::size_t i) {
      return ack_of(expect<ClaimAnswer>(claimed[i]).executions.at(0));
    });
    for (const Answer& answer : acked)
      expect<WorkAnswer>(answer);
  }

  Verbs verbs() const { return {median(submit_), median(claim_), median(ack_)}; }

  Subject subject;

 private:
  template <class Make>
  std::vector<Answer> timed(std::vector<double>& times, Make make) {
    double ns = 0;
    auto answers = subject.run(turns_of(kRound, turn_, make), ns);
    times.push_back(ns / static_cast<double>(kRound));
    return answers;
  }

  std::shared_ptr<const Submission> job_;
  std::vector<std::string> types_;  // of the claims; empty: any
  std::size_t turn_;
  std::vector<double> submit_;
  std::vector<double> claim_;
  std::vector<double> ack_;
};

using Loads = std::vector<std::unique_ptr<Load>>;

// `ops` of each verb on each of the machines, which take turns.
void steady(Loads& loads, std::size_t ops) {
  for (std::size_t done = 0; done < ops; done += kStretch * kRound) {
    for (const auto& load : loads) {
      for (std::size_t round = 0; round < kStretch; ++round)
        load->round();
    }
  }
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

struct Filled {
  double ns = 0;  // for each job
  double heap = 0;
  double resident = 0;
};

// So many waiting jobs, and what one of them costs.
Filled fill_to(Load& load, std::int64_t depth, const std::shared_ptr<const Submission>& job) {
  const double heap_before = heap_bytes();
  const double resident_before = resident_bytes();
  const auto jobs = static_cast<double>(depth);
  Filled filled;
  filled.ns = fill(load.subject, depth, [&](std::int64_t) { return job; });
  filled.heap = (heap_bytes() - heap_before) / jobs;
  filled.resident = (resident_bytes() - resident_before) / jobs;
  return filled;
}

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
  const auto job = submission("t");
  Loads loads;
  std::vector<Filled> filled;
  for (std::int64_t depth : options.depths) {
    loads.push_back(std::make_unique<Load>(job, std::vector<std::string>{}, kTurn));
    filled.push_back(fill_to(*loads.back(), depth, job));
  }
  steady(loads, options.ops);
  std::printf("turns of %zu commands, one job each                  bytes per waiting job\n",
              kTurn);
  std::printf("%12s %8s %8s %8s %8s %10s %10s\n", "waiting", "submit", "claim", "ack", "fill",
              "heap", "resident");
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const std::int64_t depth = options.depths[i];
    report.add(loads[i]->verbs(), "", depth, kTurn);
    report.add("fill", depth, 1, filled[i].ns);
    report.add("heap_bytes_per_job", depth, 1, filled[i].heap, "bytes");
    report.add("resident_bytes_per_job", depth, 1, filled[i].resident, "bytes");
    print(depth, loads[i]->verbs());
    std::printf(" %8.0f %10.0f %10.0f\n", filled[i].ns, filled[i].heap, filled[i].resident);
  }
  if (loads.size() > 1) {
    print_ratio(options, loads.front()->verbs(), loads.back()->verbs(), report);
  }
  std::fflush(stdout);
}

void turn_sizes(const Options& options, Report& report) {
  constexpr std::int64_t kDepth = 1'000;
  const auto job = submission("t");
  const std::vector<std::size_t> sizes = {1, 16, 256};
  Loads loads;
  for (std::size_t size : sizes) {
    loads.push_back(std::make_unique<Load>(job, std::vector<std::string>{}, size));
    fill_to(*loads.back(), kDepth, job);
  }
  steady(loads, options.ops);
  std::printf("\nturns of different sizes, %lld waiting\n", static_cast<long long>(kDepth));
  std::printf("%12s %8s %8s %8s\n", "commands", "submit", "claim", "ack");
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    report.add(loads[i]->verbs(), "turn_", kDepth, sizes[i]);
    print(static_cast<std::int64_t>(sizes[i]), loads[i]->verbs());
    std::printf("\n");
  }
  std::fflush(stdout);
}

void claim_by_type(const Options& options, Report& report) {
  const std::vector<std::int64_t> fronts = {0, kMany};
  Loads loads;
  for (std::int64_t front : fronts) {
    loads.push_back(std::make_unique<Load>(submission("t"), std::vector<std::string>{"t"}, kTurn));
    if (front > 0) fill_to(*loads.back(), front, submission("other"));
  }
  steady(loads, options.ops);
  std::printf("\nclaim by type, jobs of another type in front\n");
  std::printf("%12s %8s %8s %8s\n", "in front", "submit", "claim", "ack");
  for (std::size_t i = 0; i < fronts.size(); ++i) {
    report.add(loads[i]->verbs(), "by_type_", fronts[i], kTurn);
    print(fronts[i], loads[i]->verbs());
    std::printf("\n");
  }
  std::fflush(stdout);
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
}  // namespace baton::store::local

int main(int count, char** words) {
  baton::store::local::Options options;
  if (!baton::store::local::read_options(count, words, options)) {
    std::fprintf(stderr, "usage: bench_machine [--depths N,N,...] [--ops N] [--json FILE]\n");
    return 2;
  }
  return baton::store::local::run(options);
}
