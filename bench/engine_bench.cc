// A durable store as an embedding program has it, beside what the disk can do.
//
//   bench_engine [--dir DIR] [--seconds 3] [--sustain 30] [--backlog 1000000] [--json FILE]
//
// Operations: submit, claim and acknowledge, one job a command, so many commands outstanding.
// Beside them, in the same run and taking turns with them, a bare file of zeros that is overwritten
// with O_DIRECT|O_DSYNC: as many bytes a write as the log writes for a turn of so many operations.
// Sustained: batches of 64 jobs through their whole life. Backlog: jobs that wait, their memory,
// the time to open the store again, and reads from it. DIR decides which disk is measured.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/aligned_buffer.h"
#include "base/clock.h"
#include "base/json_writer.h"
#include "engine_load.h"
#include "store/local/codec/codec.h"
#include "store/local/local_store.h"
#include "store/local/machine/machine.h"
#include "store/local/machine/rows.h"

namespace baton::store::local::bench {
namespace {

constexpr int kRounds = 3;
constexpr std::uint64_t kFileBytes = 64ULL << 20;
constexpr std::uint64_t kRecordOverhead = 64;

struct Options {
  std::string directory = std::filesystem::temp_directory_path().string();
  double seconds = 3;
  double sustain = 30;
  std::vector<std::int64_t> backlogs = {1'000'000};
  std::string json;
};

const base::SystemClock kClock;

std::unique_ptr<Store> open(const std::string& directory) {
  FileOptions options;
  options.clock = &kClock;
  options.directory = directory;
  return must(open_file_store(options));
}

// The bytes of one turn of the log, on average over submit, claim and acknowledge.
std::uint64_t turn_bytes(int operations) {
  Rows rows;
  Machine machine(rows);
  base::Random random(1);
  Time now{1'800'000'000'000};
  std::uint64_t bytes = 0;
  std::vector<store::ClaimedJob> claimed;
  for (int kind = 0; kind < 4; ++kind) {
    std::vector<Command> commands;
    for (int i = 0; i < operations; ++i) {
      if (kind < 2) {
        SubmitBatch batch;
        batch.jobs = {small_job()};
        commands.emplace_back(std::move(batch));
      } else if (kind == 2) {
        ClaimRequest request;
        request.queues = {"default"};
        request.worker = "bench";
        commands.emplace_back(std::move(request));
      } else {
        WorkCall call;
        call.call = AckCall{};
        call.execution = claimed[static_cast<std::size_t>(i)].execution;
        call.token = claimed[static_cast<std::size_t>(i)].facts.execution.token;
        commands.emplace_back(std::move(call));
      }
    }
    Turn turn = machine.turn(std::move(commands), now, random);
    for (const Answer& answer : turn.answers) {
      if (const auto* one = std::get_if<ClaimAnswer>(&answer)) {
        claimed.push_back(one->executions.at(0));
      }
    }
    rows.apply(turn.changes);
    base::AlignedBuffer encoded;
    encode_turn(now, turn.changes, encoded);
    if (kind > 0) bytes += encoded.size() + kRecordOverhead;  // the first makes the queue, too
    now.ms += 1;
  }
  return base::round_up_to_block(bytes / 3);
}

// A file of zeros, overwritten from its beginning to its end and again.
class Bare {
 public:
  explicit Bare(const std::string& path) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT | O_DSYNC, 0600);
    if (file_ < 0) fail("no O_DIRECT at " + path);
    base::AlignedBuffer zeros;
    zeros.append_zeros(1U << 20);
    for (std::uint64_t at = 0; at < kFileBytes; at += zeros.size())
      put(zeros.bytes(), at);
  }
  ~Bare() { ::close(file_); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  // Writes a second of so many bytes each.
  double run(double seconds, std::uint64_t bytes) {
    base::AlignedBuffer block(bytes);
    std::memset(block.data(), 0x5A, block.size());
    std::int64_t writes = 0;
    std::uint64_t offset = 0;
    const auto start = Clock::now();
    for (; seconds_since(start) < seconds; ++writes) {
      if (offset + bytes > kFileBytes) offset = 0;
      put(block.bytes(), offset);
      offset += bytes;
    }
    return static_cast<double>(writes) / seconds_since(start);
  }

 private:
  void put(std::span<const std::byte> bytes, std::uint64_t at) const {
    if (::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at)) !=
        static_cast<ssize_t>(bytes.size())) {
      fail("cannot write the bare file");
    }
  }

  int file_ = -1;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void number(base::JsonWriter& json, std::string_view key, double value) {
  json.key(key);
  json.real(value);
}

void measure_operations(const Options& options, const std::string& place, base::JsonWriter& json) {
  std::printf("durable operations a second, so many outstanding\n");
  std::printf("  outstanding      engine        bare   ratio   ack p50   ack p99 ms\n");
  json.key("operations");
  json.begin_array();
  const auto store = open(place + "/operations");
  Bare bare(place + "/bare");
  for (const int outstanding : {1, 16, 64, 256, 1024}) {
    Lanes lanes(*store, outstanding);
    lanes.run(options.seconds / 4);
    const std::uint64_t bytes = turn_bytes(outstanding);
    std::vector<double> engine;
    std::vector<double> limit;
    for (int i = 0; i < kRounds; ++i) {
      limit.push_back(bare.run(options.seconds / kRounds, bytes) * outstanding);
      engine.push_back(lanes.run(options.seconds / kRounds));
    }
    const double ours = median(engine);
    const double best = median(limit);
    std::printf("  %11d %11.0f %11.0f %7.2f %9.2f %9.2f\n", outstanding, ours, best, ours / best,
                lanes.latency(0.5), lanes.latency(0.99));
    std::fflush(stdout);
    json.begin_object();
    json.key("outstanding");
    json.number(outstanding);
    number(json, "engine", ours);
    number(json, "bare", best);
    number(json, "ack_p50_ms", lanes.latency(0.5));
    number(json, "ack_p99_ms", lanes.latency(0.99));
    json.end_object();
  }
  json.end_array();
}

void measure_sustained(const Options& options, const std::string& place, base::JsonWriter& json) {
  std::printf("\nsustained: batches of %d through submit, claim, acknowledge\n", Flow::kBatch);
  std::printf("   second      jobs/s   resident MiB\n");
  json.key("sustained");
  json.begin_array();
  const auto store = open(place + "/sustained");
  Flow flow(*store, 8);
  flow.start();
  const int parts = 6;
  std::int64_t before = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < parts; ++i) {
    const auto start = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(options.sustain / parts));
    const std::int64_t jobs = flow.jobs();
    const double rate = static_cast<double>(jobs - before) / seconds_since(start);
    before = jobs;
    std::printf("  %7.0f %11.0f %14.0f\n", seconds_since(begin), rate,
                resident_bytes() / (1 << 20));
    std::fflush(stdout);
    json.begin_object();
    number(json, "jobs_per_second", rate);
    number(json, "resident_bytes", resident_bytes());
    json.end_object();
  }
  json.end_array();
  flow.stop();
  const auto start = Clock::now();
  blocking<JobList>([&](auto done) { store->list({}, std::move(done)); });
  std::printf("  the catalog had everything %.2f s later\n", seconds_since(start));
}

std::vector<JobId> fill(Store& store, std::int64_t count) {
  std::vector<JobId> some;
  for (std::int64_t made = 0; made < count; made += 1000) {
    SubmitBatch batch;
    batch.jobs.assign(1000, small_job());
    const auto answer =
        blocking<SubmitAnswer>([&](auto done) { store.submit(std::move(batch), std::move(done)); });
    some.push_back(answer.results[static_cast<std::size_t>(made / 1000 % 1000)]->id);
  }
  blocking<JobList>([&](auto done) { store.list({}, std::move(done)); });
  return some;
}

template <class Read>
double median_ms(int times, Read read) {
  std::vector<double> all;
  for (int i = 0; i < times; ++i) {
    const auto start = Clock::now();
    read(i);
    all.push_back(seconds_since(start) * 1000);
  }
  return median(all);
}

void measure_reads(Store& store, const std::vector<JobId>& ids, base::JsonWriter& json) {
  const double get = median_ms(201, [&](int i) {
    const JobId id = ids[static_cast<std::size_t>(i) * 7919 % ids.size()];
    blocking<std::shared_ptr<const JobRecord>>([&](auto done) { store.get(id, std::move(done)); });
  });
  std::printf("  get %.3f ms", get);
  number(json, "get_ms", get);
  const auto list = [&](const char* name, auto narrow) {
    store::ListJobs filter;
    narrow(filter);
    const double ms = median_ms(11, [&](int) {
      blocking<JobList>([&](auto done) { store.list(filter, std::move(done)); });
    });
    std::printf(", list %s %.2f ms", name, ms);
    number(json, std::string("list_") + name + "_ms", ms);
  };
  list("all", [](store::ListJobs&) {});
  list("queue", [](store::ListJobs& filter) { filter.queue = "default"; });
  list("type", [](store::ListJobs& filter) { filter.type = "mail"; });
  list("state", [](store::ListJobs& filter) { filter.canonical_state = JobState::kScheduled; });
  list("other_state", [](store::ListJobs& f) { f.canonical_state = JobState::kFailed; });
  list("middle", [](store::ListJobs& filter) { filter.before_number = 500'000; });
  std::printf("\n");
}

void measure_backlog(std::int64_t count, const std::string& place, base::JsonWriter& json) {
  const std::string directory = place + "/backlog";
  json.begin_object();
  json.key("waiting");
  json.number(count);
  std::vector<JobId> ids;
  double filled = 0;
  {
    const auto store = open(directory);
    const auto start = Clock::now();
    ids = fill(*store, count);
    filled = static_cast<double>(count) / seconds_since(start);
  }
  ::malloc_trim(0);
  const double before = resident_bytes();
  const auto start = Clock::now();
  const auto store = open(directory);
  const double ready = seconds_since(start);
  ::malloc_trim(0);
  const double bytes = (resident_bytes() - before) / static_cast<double>(count);
  std::printf(
      "\n%lld jobs waiting: filled %.0f a second, ready in %.2f s, %.0f bytes of memory each\n",
      static_cast<long long>(count), filled, ready, bytes);
  number(json, "fill_per_second", filled);
  number(json, "ready_seconds", ready);
  number(json, "bytes_per_job", bytes);
  measure_reads(*store, ids, json);
  json.end_object();
  std::fflush(stdout);
}

Options parse(int argc, char** argv) {
  Options options;
  bool backlog = false;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--dir") {
      options.directory = value;
    } else if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (name == "--sustain") {
      options.sustain = std::atof(value.c_str());
    } else if (name == "--backlog") {
      if (!backlog) options.backlogs.clear();
      backlog = true;
      if (value != "0") options.backlogs.push_back(std::atoll(value.c_str()));
    } else if (name == "--json") {
      options.json = value;
    } else {
      fail("unknown option " + name);
    }
  }
  if (argc % 2 == 0) {
    fail(
        "usage: bench_engine [--dir DIR] [--seconds N] [--sustain N] [--backlog N]... [--json "
        "FILE]");
  }
  return options;
}

void run(const Options& options) {
  std::string pattern = options.directory + "/baton-bench-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) fail("cannot make " + pattern);
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::kPretty);
  json.begin_object();
  if (options.seconds > 0) measure_operations(options, pattern, json);
  if (options.sustain > 0) measure_sustained(options, pattern, json);
  json.key("backlogs");
  json.begin_array();
  for (const std::int64_t backlog : options.backlogs) {
    measure_backlog(backlog, pattern, json);
    std::filesystem::remove_all(pattern + "/backlog");
  }
  json.end_array();
  json.end_object();
  std::filesystem::remove_all(pattern);
  if (!options.json.empty()) std::ofstream(options.json) << text << "\n";
}

}  // namespace
}  // namespace baton::store::local::bench

int main(int argc, char** argv) {
  baton::store::local::bench::run(baton::store::local::bench::parse(argc, argv));
}
