// How fast turns become durable: the log beside a bare file that is written with the same bytes.
//
//   bench_log [--dir DIR] [--turns 2000] [--json FILE]
//
// A turn is so many changes of 150 bytes and one durable write. "bare" is a file full of zeros,
// opened with O_DIRECT|O_DSYNC and overwritten block by block, which is the best that the disk and
// the system offer; "log" is the log with a second thread that releases its segments; "append" is a
// file that grows by write and fdatasync. The three take turns in short rounds, so that a slow
// moment of the computer meets all of them, and the median of the rounds counts. DIR decides which
// disk is measured; without it, it is where temporary files go.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/aligned_buffer.h"
#include "base/json_writer.h"
#include "base/posix_disk.h"
#include "store/local/log/format.h"
#include "store/local/log/log.h"

namespace baton::store::local::bench {
namespace {

constexpr std::size_t kChangeBytes = 150;
constexpr std::uint64_t kRounds = 100;
constexpr std::uint64_t kFileBytes = 16ULL << 20;

struct Options {
  std::string directory = std::filesystem::temp_directory_path().string();
  std::uint64_t turns = 2'000;  // of each kind and size
  std::string json;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "bench_log: %s\n", what.c_str());
  std::exit(1);
}

void check(const Status& status) {
  if (!status) fail(status.error().message);
}

std::uint64_t bytes_of_write(std::size_t changes) {
  return base::round_up_to_block(kRecordHeaderBytes + kTurnHeaderBytes + changes * kChangeBytes);
}

// ---- What is compared -------------------------------------------------------------------------

// Something that makes one turn of so many changes durable.
using Write = std::function<void()>;

// A file of zeros, overwritten from its beginning to its end and again.
class Bare {
 public:
  Bare(const std::string& path, std::size_t changes) : block_(bytes_of_write(changes)) {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT | O_DSYNC, 0600);
    if (file_ < 0) fail("no O_DIRECT at " + path);
    base::AlignedBuffer zeros;
    zeros.append_zeros(1U << 20);
    for (std::uint64_t at = 0; at < kFileBytes; at += zeros.size())
      put(zeros.bytes(), at);
    std::memset(block_.data(), 0x5A, block_.size());
  }
  ~Bare() { ::close(file_); }
  Bare(const Bare&) = delete;
  Bare& operator=(const Bare&) = delete;

  void write() {
    if (offset_ + block_.size() > kFileBytes) offset_ = 0;
    put(block_.bytes(), offset_);
    offset_ += block_.size();
  }

 private:
  void put(std::span<const std::byte> bytes, std::uint64_t at) const {
    if (::pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(at)) !=
        static_cast<ssize_t>(bytes.size()))
      fail("cannot write the bare file");
  }

  int file_ = -1;
  base::AlignedBuffer block_;
  std::uint64_t offset_ = 0;
};

// The log, and the thread that releases what it has written.
class Logged {
 public:
  Logged(base::Disk& disk, std::size_t changes) : changes_(changes) {
    auto log = Log::open(disk, {}, 0);
    if (!log) fail(log.error().message);
    log_ = std::move(log).value();
    releaser_ = std::thread([this] {
      while (!done_) {
        check(log_->release(log_->durable_turn()));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  ~Logged() {
    done_ = true;
    releaser_.join();
  }
  Logged(const Logged&) = delete;
  Logged& operator=(const Logged&) = delete;

  void write() {
    const auto write = [this](base::AlignedBuffer& buffer) {
      for (std::size_t i = 0; i < changes_; ++i)
        std::memset(buffer.extend(kChangeBytes), 0x5A, kChangeBytes);
    };
    check(log_->append(log_->last_turn() + 1, write, true));
  }

 private:
  std::size_t changes_;
  std::unique_ptr<Log> log_;
  std::atomic<bool> done_{false};
  std::thread releaser_;
};

// A file that grows.
class Appended {
 public:
  Appended(const std::string& path, std::size_t changes) : bytes_(changes * kChangeBytes, 'Z') {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (file_ < 0) fail("cannot make " + path);
  }
  ~Appended() { ::close(file_); }
  Appended(const Appended&) = delete;
  Appended& operator=(const Appended&) = delete;

  void write() const {
    const ssize_t count = ::write(file_, bytes_.data(), bytes_.size());
    if (count != static_cast<ssize_t>(bytes_.size()) || ::fdatasync(file_) != 0)
      fail("cannot append");
  }

 private:
  int file_ = -1;
  std::string bytes_;
};

// ---- Measuring --------------------------------------------------------------------------------

struct Figures {
  std::size_t changes = 0;
  double bare_us = 0;
  double log_us = 0;
  double append_us = 0;
  double ratio = 0;  // of the log's speed to that of the bare file, round by round
};

double time_of(std::uint64_t writes, const Write& write) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < writes; ++i)
    write();
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(writes);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Figures measure(const std::string& directory, std::size_t changes, std::uint64_t turns) {
  auto disk = base::PosixDisk::open(directory);
  if (!disk) fail(disk.error().message);
  Bare bare(directory + "/bare", changes);
  Logged log(**disk, changes);
  Appended append(directory + "/append", changes);
  const std::uint64_t writes = std::max<std::uint64_t>(turns / kRounds, 1);
  std::vector<double> bare_us;
  std::vector<double> log_us;
  std::vector<double> append_us;
  std::vector<double> ratio;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    bare_us.push_back(time_of(writes, [&] { bare.write(); }));
    log_us.push_back(time_of(writes, [&] { log.write(); }));
    append_us.push_back(time_of(writes, [&] { append.write(); }));
    ratio.push_back(bare_us.back() / log_us.back());
  }
  return {changes, median(bare_us), median(log_us), median(append_us), median(ratio)};
}

double rate(const Figures& figures, double us) {
  return static_cast<double>(figures.changes) * 1e6 / us;
}

void print(const Figures& f) {
  std::printf("%8zu %9llu %8.0f %8.0f %8.0f %11.0f %11.0f %11.0f %9.2f\n", f.changes,
              static_cast<unsigned long long>(bytes_of_write(f.changes)), f.bare_us, f.log_us,
              f.append_us, rate(f, f.bare_us), rate(f, f.log_us), rate(f, f.append_us), f.ratio);
  std::fflush(stdout);
}

// False when the file cannot be written.
bool write_json(const std::string& path, const std::vector<Figures>& all) {
  std::string text;
  base::JsonWriter json(text, base::JsonWriter::Layout::kPretty);
  json.begin_array();
  for (const Figures& f : all) {
    json.begin_object();
    json.key("changes"), json.number(static_cast<std::int64_t>(f.changes));
    json.key("bare_us"), json.real(f.bare_us);
    json.key("log_us"), json.real(f.log_us);
    json.key("append_us"), json.real(f.append_us);
    json.key("log_to_bare"), json.real(f.ratio);
    json.end_object();
  }
  json.end_array();
  std::ofstream file(path);
  file << text << '\n';
  return static_cast<bool>(file.flush());
}

int run(const Options& options) {
  std::string directory = options.directory + "/baton-bench-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) fail("cannot make a directory in " + directory);
  std::printf("durable turns of changes of %zu bytes\n\n", kChangeBytes);
  std::printf("%8s %9s %26s %35s %9s\n", "", "", "microseconds a turn", "changes a second", "");
  std::printf("%8s %9s %8s %8s %8s %11s %11s %11s %9s\n", "changes", "bytes", "bare", "log",
              "append", "bare", "log", "append", "log/bare");
  std::vector<Figures> all;
  for (const std::size_t changes : {1U, 16U, 64U, 256U, 1024U}) {
    all.push_back(measure(directory, changes, options.turns));
    print(all.back());
    for (const auto& entry : std::filesystem::directory_iterator(directory))
      std::filesystem::remove(entry.path());
  }
  std::filesystem::remove_all(directory);
  if (options.json.empty() || write_json(options.json, all)) return 0;
  std::fprintf(stderr, "bench_log: cannot write %s\n", options.json.c_str());
  return 1;
}

bool read_options(int count, char** words, Options& options) {
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string_view name = words[i];
    const std::string_view value = words[i + 1];
    if (name == "--json") {
      options.json = value;
    } else if (name == "--dir") {
      options.directory = value;
    } else if (name == "--turns") {
      const auto read = std::from_chars(value.data(), value.data() + value.size(), options.turns);
      if (read.ec != std::errc{} || options.turns == 0) return false;
    } else {
      return false;
    }
  }
  return count % 2 == 1;
}

}  // namespace
}  // namespace baton::store::local::bench

int main(int count, char** words) {
  baton::store::local::bench::Options options;
  if (!baton::store::local::bench::read_options(count, words, options)) {
    std::fprintf(stderr, "usage: bench_log [--dir DIR] [--turns N] [--json FILE]\n");
    return 2;
  }
  return baton::store::local::bench::run(options);
}
