// How fast the catalog takes up turns and gives them back: encoding a turn for the log, applying
// jobs that come and go and jobs that stay, loading what waits, finding and listing.
//
//   bench_catalog [--jobs 1000000] [--chunk 4096] [--directory DIR] [--json FILE]
//
// Turns are made by a Machine, 256 commands each; only the catalog's part is timed: in wall time,
// because it waits for the disk, and in CPU time, which other programs disturb little. The database
// is a new file in DIR, and is deleted at the end.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"
#include "machine_load.h"
#include "store/local/catalog/catalog.h"

namespace baton::store::local::bench {
namespace {

struct Options {
  std::int64_t jobs = 1'000'000;
  std::size_t chunk = 4096;  // changes in one call of apply
  std::string directory = std::filesystem::temp_directory_path().string();
  std::string json;
};

using SharedTurn = std::shared_ptr<const TurnChanges>;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "bench_catalog: %s\n", why.c_str());
  std::_Exit(1);
}

template <class T>
T take(Result<T> result) {
  if (!result.ok()) fail(result.error().message);
  return std::move(*result);
}

double now_seconds() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

template <class Body>
double seconds_of(Body body) {
  const double begin = now_seconds();
  body();
  return now_seconds() - begin;
}

// ---- Turns --------------------------------------------------------------------------------------

// A Machine whose turns are kept.
class Source {
 public:
  // One turn of the commands, numbered on.
  std::vector<Answer> run(std::vector<Command> commands, std::vector<SharedTurn>& turns) {
    now_ = now_ + base::milliseconds(1);
    Turn made = machine_.turn(commands, now_, random_);
    auto turn = std::make_shared<TurnChanges>();
    turn->turn = ++turn_;
    turn->at = now_;
    turn->changes = std::move(made.changes);
    turns.push_back(std::move(turn));
    return std::move(made.answers);
  }

  // A turn that submits, one that claims and one that acknowledges as many jobs.
  void come_and_go(std::vector<SharedTurn>& turns) {
    submit(turns);
    work(turns);
  }

  // A turn that claims and one that acknowledges.
  void work(std::vector<SharedTurn>& turns) {
    std::vector<Command> claims;
    for (std::size_t i = 0; i < kTurn; ++i)
      claims.push_back(claim_of({}));
    const auto claimed = run(std::move(claims), turns);
    std::vector<Command> acks;
    for (const Answer& answer : claimed)
      acks.push_back(ack_of(expect<ClaimAnswer>(answer).executions.at(0)));
    run(std::move(acks), turns);
  }

  void submit(std::vector<SharedTurn>& turns) {
    std::vector<Command> submits;
    for (std::size_t i = 0; i < kTurn; ++i)
      submits.push_back(submit_of(job()));
    run(std::move(submits), turns);
  }

  Time now() const { return now_; }

 private:
  static std::shared_ptr<const Submission> job() {
    auto made = submission("send_email");
    made->payload = R"({"to":"somebody@example.org","template":"welcome","locale":"en"})";
    return made;
  }

  EmptyArchive archive_;
  Machine machine_{archive_};
  Time now_{1'700'000'000'000};
  std::uint64_t turn_ = 0;
  base::Random random_{1};
};

// ---- Reporting ----------------------------------------------------------------------------------

class Report {
 public:
  void add(const char* name, double value, const char* unit) {
    std::printf("%-44s %12.0f %s\n", name, value, unit);
    std::fflush(stdout);
    lines_.push_back({name, value, unit});
  }

  bool write(const std::string& path) const {
    std::ofstream file(path);
    file << "[\n";
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      file << R"(  {"name": ")" << lines_[i].name << R"(", "value": )" << lines_[i].value
           << R"(, "unit": ")" << lines_[i].unit << "\"}" << (i + 1 < lines_.size() ? ",\n" : "\n");
    }
    file << "]\n";
    return file.good();
  }

 private:
  struct Line {
    std::string name;
    double value = 0;
    std::string unit;
  };
  std::vector<Line> lines_;
};

// ---- The log's form -----------------------------------------------------------------------------

void measure_codec(Report& report) {
  Source source;
  std::vector<SharedTurn> turns;
  for (int round = 0; round < 200; ++round)
    source.come_and_go(turns);
  const char* const names[] = {"submit", "claim", "ack"};
  TermsTable terms;
  for (std::size_t verb = 0; verb < 3; ++verb) {
    std::vector<double> encode;
    std::vector<double> decode;
    double bytes = 0;
    double changes = 0;
    base::AlignedBuffer out;
    for (std::size_t i = verb; i < turns.size(); i += 3) {
      const auto count = static_cast<double>(turns[i]->changes.size());
      out.resize(0);
      const double begin = cpu_ns();
      encode_turn(turns[i]->at, turns[i]->changes, out);
      const double middle = cpu_ns();
      const TurnChanges back = take(decode_turn(1, out.bytes(), terms));
      encode.push_back((middle - begin) / count);
      decode.push_back((cpu_ns() - middle) / count);
      bytes += static_cast<double>(out.size());
      changes += count;
    }
    const std::string name = names[verb];
    report.add((name + ": encode").c_str(), median(encode), "ns");
    report.add((name + ": decode").c_str(), median(decode), "ns");
    report.add((name + ": size").c_str(), bytes / changes, "bytes");
  }
}

// ---- The catalog --------------------------------------------------------------------------------

struct Applied {
  std::vector<double> tenths = std::vector<double>(10);  // seconds
  double cpu_ns = 0;
  double written = 0;  // bytes, to the write-ahead log and from there to the database
};

// Bytes that this process has handed to the system.
double written_bytes() {
  std::ifstream io("/proc/self/io");
  std::string name;
  double value = 0;
  while (io >> name >> value) {
    if (name == "wchar:") return value;
  }
  return 0;
}

class Subject {
 public:
  explicit Subject(const Options& options) : options_(options) {
    catalog_options_.path = options.directory + "/bench-catalog-" + std::to_string(getpid());
    open();
  }
  ~Subject() {
    catalog_.reset();
    for (const char* suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(catalog_options_.path + suffix);
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  void open() {
    catalog_.reset();
    catalog_ = take(Catalog::open(catalog_options_, terms_));
  }

  // Applies jobs in chunks, each chunk made before it is timed.
  template <class Make>
  Applied apply(std::int64_t jobs, Make make) {
    Applied applied;
    for (std::int64_t done = 0; done < jobs;) {
      std::vector<SharedTurn> turns;
      std::int64_t in_chunk = 0;
      std::size_t changes = 0;
      while (changes < options_.chunk) {
        const std::size_t before = turns.size();
        make(turns);
        for (std::size_t i = before; i < turns.size(); ++i)
          changes += turns[i]->changes.size();
        in_chunk += kTurn;
      }
      const auto tenth = static_cast<std::size_t>(std::min<std::int64_t>(9, done * 10 / jobs));
      const double written = written_bytes();
      const double cpu = cpu_ns();
      applied.tenths[tenth] += seconds_of([&] { take(catalog_->apply(turns)); });
      applied.cpu_ns += cpu_ns() - cpu;
      applied.written += written_bytes() - written;
      done += in_chunk;
    }
    return applied;
  }

  std::int64_t load(Time now) {
    std::int64_t jobs = 0;
    CatalogVisitor visitor;
    visitor.queue = [](StoredQueue) {};
    visitor.account = [](StoredAccount) {};
    visitor.job = [&jobs](const LiveJob&) { ++jobs; };
    visitor.key = [](const StoredKey&) {};
    take(catalog_->load(now, visitor));
    return jobs;
  }

  std::unique_ptr<CatalogReader> reader() {
    return take(CatalogReader::open(catalog_options_, terms_));
  }
  double file_bytes() {
    take(catalog_->checkpoint());
    return static_cast<double>(std::filesystem::file_size(catalog_options_.path));
  }

 private:
  Options options_;
  CatalogOptions catalog_options_;
  TermsTable terms_;
  std::unique_ptr<Catalog> catalog_;
};

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values)
    total += value;
  return total;
}

void report_rates(Report& report, const std::string& name, std::int64_t jobs,
                  const Applied& applied) {
  const auto all = static_cast<double>(jobs);
  const std::vector<double>& tenths = applied.tenths;
  report.add((name + ": apply").c_str(), all / sum(tenths), "jobs/s");
  report.add((name + ": apply, first tenth").c_str(), all / 10 / tenths.front(), "jobs/s");
  report.add((name + ": apply, last tenth").c_str(), all / 10 / tenths.back(), "jobs/s");
  report.add((name + ": apply, CPU time of a job").c_str(), applied.cpu_ns / all, "ns");
  report.add((name + ": apply, written for a job").c_str(), applied.written / all, "bytes");
}

void measure_reading(Subject& subject, Report& report) {
  const auto reader = subject.reader();
  const auto timed = [&](const char* name, const store::ListJobs& filter) {
    std::vector<double> times;
    for (int i = 0; i < 20; ++i)
      times.push_back(1e6 * seconds_of([&] { take(reader->list(filter)); }));
    report.add(name, median(times), "us");
  };
  store::ListJobs filter;
  timed("list of 100", filter);
  filter.queue = "default";
  timed("list of 100 by queue", filter);
  filter = {};
  filter.canonical_state = JobState::kCompleted;
  timed("list of 100 by state", filter);
  filter.canonical_state = JobState::kFailed;
  timed("list by a state that nobody has", filter);
  filter = {};
  filter.created_before = Time{1'700'000'000'100};
  timed("list of 100 by time", filter);
  const JobList page = take(reader->list(filter));
  std::vector<double> times;
  for (const auto& job : page.jobs)
    times.push_back(1e6 * seconds_of([&] { take(reader->find(job->id)); }));
  report.add("find", median(times), "us");
}

void measure_catalog(const Options& options, Report& report) {
  {
    Subject subject(options);
    Source source;
    const Applied applied = subject.apply(
        options.jobs, [&](std::vector<SharedTurn>& turns) { source.come_and_go(turns); });
    report_rates(report, "come and go", options.jobs, applied);
    report.add("come and go: file, each job",
               subject.file_bytes() / static_cast<double>(options.jobs), "bytes");
    measure_reading(subject, report);
  }
  Subject subject(options);
  Source source;
  const Applied applied =
      subject.apply(options.jobs, [&](std::vector<SharedTurn>& turns) { source.submit(turns); });
  report_rates(report, "backlog", options.jobs, applied);
  report.add("backlog: file, each job", subject.file_bytes() / static_cast<double>(options.jobs),
             "bytes");
  for (const char* const name : {"load", "load again"}) {
    subject.open();
    std::int64_t jobs = 0;
    const double cpu = cpu_ns();
    const double seconds = seconds_of([&] { jobs = subject.load(source.now()); });
    report.add(name, 1000 * seconds, "ms");
    report.add((std::string(name) + ", CPU time").c_str(), (cpu_ns() - cpu) / 1e6, "ms");
    report.add((std::string(name) + ", a second").c_str(), static_cast<double>(jobs) / seconds,
               "jobs/s");
  }
  const Applied drained =
      subject.apply(options.jobs / 2, [&](std::vector<SharedTurn>& turns) { source.work(turns); });
  report_rates(report, "half of the backlog", options.jobs / 2, drained);
}

// ---- The command line ---------------------------------------------------------------------------

bool read_options(int count, char** words, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    if (name == "--jobs") {
      options.jobs = std::atoll(words[i + 1]);
    } else if (name == "--chunk") {
      options.chunk = static_cast<std::size_t>(std::atoll(words[i + 1]));
    } else if (name == "--directory") {
      options.directory = words[i + 1];
    } else if (name == "--json") {
      options.json = words[i + 1];
    } else {
      return false;
    }
  }
  return count % 2 == 1 && options.jobs > 0 && options.chunk > 0;
}

}  // namespace
}  // namespace baton::store::local::bench

int main(int count, char** words) {
  using namespace baton::store::local::bench;
  Options options;
  if (!read_options(count, words, options)) {
    std::fprintf(stderr,
                 "usage: bench_catalog [--jobs N] [--chunk N] [--directory DIR] [--json FILE]\n");
    return 2;
  }
  Report report;
  measure_codec(report);
  measure_catalog(options, report);
  return options.json.empty() || report.write(options.json) ? 0 : 1;
}
