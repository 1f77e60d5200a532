// What the tests of the log share: turns with known bytes, and a log on a simulated disk together
// with a record of what it has promised. Crashing and opening again compares the two. One thread.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/simulated_disk.h"
#include "store/local/log/format.h"
#include "store/local/log/log.h"

namespace baton::store::local::testbed {

using Payload = std::vector<std::byte>;

inline constexpr std::uint64_t kBlock = base::kDiskBlock;
// A header and three blocks, so that a few turns fill a segment.
inline constexpr LogOptions kSmall = {.segment_bytes = 4 * kBlock, .new_id = 7};

// Bytes that differ from those of any other seed.
inline Payload payload(std::uint64_t seed, std::size_t size) {
  Payload bytes(size);
  base::Random random(seed);
  std::size_t at = 0;
  for (; at + 8 <= size; at += 8) {
    const std::uint64_t word = random.next();
    std::memcpy(bytes.data() + at, &word, 8);
  }
  for (; at < size; ++at)
    bytes[at] = static_cast<std::byte>(random.next());
  return bytes;
}

inline std::string in_use(std::uint64_t number) {
  return segment_name(number, SegmentState::kInUse);
}

struct Replayed {
  std::uint64_t turn = 0;
  Payload bytes;

  friend bool operator==(const Replayed&, const Replayed&) = default;
};

inline std::vector<Replayed> replay(Log& log) {
  std::vector<Replayed> turns;
  const Status done =
      log.replay([&](std::uint64_t turn, std::span<const std::byte> bytes) -> Status {
        turns.push_back({turn, {bytes.begin(), bytes.end()}});
        return Ok{};
      });
  BATON_ASSERT(done.ok());
  return turns;
}

// The message of an open() that must fail; empty when it does not.
inline std::string refusal(base::Disk& disk, std::uint64_t applied = 0,
                           const LogOptions& options = kSmall) {
  const auto log = Log::open(disk, options, applied);
  return log.ok() ? "" : log.error().message;
}

// A log and what it must remember. Every operation is false when the disk has failed; then only
// crash() or kill() goes on. A broken promise is put down in `fault`.
class Subject {
 public:
  explicit Subject(std::uint64_t seed, LogOptions options = kSmall)
      : disk(seed), options_(options) {}

  // Opens the log. What it replays must be all that was promised and the beginning of what was
  // tried beyond that; it is promised from now on.
  bool open() {
    if (!open_manifest()) return false;
    LogOptions options = options_;
    options.manifest = manifest_.get();
    // What the catalog has come to know, with the turns that it has.
    options.on_disk = known_;
    auto opened = Log::open(disk, options, applied_);
    if (!opened.ok()) return fail_unless_stopped("open: " + opened.error().message);
    log_ = std::move(opened).value();
    std::vector<Payload> turns;
    const Status done =
        log_->replay([&](std::uint64_t turn, std::span<const std::byte> bytes) -> Status {
          if (turn != applied_ + turns.size() + 1) fault = "turn " + std::to_string(turn);
          turns.emplace_back(bytes.begin(), bytes.end());
          return Ok{};
        });
    if (!done.ok()) return fail_unless_stopped("replay: " + done.error().message);
    compare(turns);
    return true;
  }

  bool append(std::size_t size, bool durable) {
    tried_.push_back(payload(++attempts_, size));
    const std::uint64_t turn = last_tried();
    if (!log_->append(turn, tried_.back(), durable).ok()) return fail_unless_stopped("append");
    if (log_->last_turn() != turn) fault = "last_turn";
    if (durable && log_->durable_turn() != turn) fault = "durable_turn";
    // What the log has written without being asked to is promised as well.
    promise(log_->durable_turn());
    return true;
  }

  bool flush() {
    if (!log_->flush().ok()) return fail_unless_stopped("flush");
    promise(last_tried());
    return true;
  }

  // The catalog has applied all but the last `behind` of the promised turns.
  bool release(std::uint64_t behind) {
    if (promised_ - applied_ > behind) {
      const std::uint64_t more = promised_ - behind - applied_;
      tried_.erase(tried_.begin(), tried_.begin() + static_cast<std::ptrdiff_t>(more));
      applied_ += more;
      known_ = std::max(known_, log_->durable_turn());
    }
    return log_->release(applied_).ok() || fail_unless_stopped("release");
  }

  void close() {
    log_.reset();
    manifest_.reset();
  }
  // The power goes, or only the process dies.
  void crash() {
    close();
    disk.crash();
  }
  void kill() {
    close();
    disk.restart();
  }

  Log& log() { return *log_; }
  bool is_open() const { return log_ != nullptr; }
  std::uint64_t promised() const { return promised_; }
  std::uint64_t applied() const { return applied_; }

  base::SimulatedDisk disk;
  std::string fault;
  bool expects_failures = false;  // of the disk, besides its stops

 private:
  std::uint64_t last_tried() const { return applied_ + tried_.size(); }

  // The catalog carries the id from the first time on that both are there.
  bool open_manifest() {
    const auto found = Manifest::read(disk);
    if (!found.ok()) return fail_unless_stopped("manifest: " + found.error().message);
    if (!*found) {
      if (was_open_) fault = "the manifest is gone";
      if (!Manifest::make(disk, {.store_id = options_.new_id}).ok())
        return fail_unless_stopped("make the manifest");
    }
    auto opened = Manifest::open(disk);
    if (!opened.ok()) return fail_unless_stopped("manifest: " + opened.error().message);
    manifest_ = std::move(opened).value();
    if (!manifest_->set_bound().ok()) return fail_unless_stopped("bind");
    was_open_ = true;
    if (manifest_->state().applied > applied_) fault = "the manifest is ahead of the catalog";
    return true;
  }

  bool fail_unless_stopped(const std::string& what) {
    if (!expects_failures && !disk.stopped()) fault = what;
    return false;
  }

  void promise(std::uint64_t turn) { promised_ = std::max(promised_, turn); }

  void compare(const std::vector<Payload>& turns) {
    const std::uint64_t found = applied_ + turns.size();
    if (found < promised_)
      fault = "turn " + std::to_string(found + 1) + " of " + std::to_string(promised_) + " is gone";
    if (turns.size() > tried_.size()) {
      fault = "turns that nobody appended";
      return;
    }
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (turns[i] != tried_[i]) fault = "turn " + std::to_string(applied_ + i + 1) + " differs";
    }
    if (log_->last_turn() != found) fault = "last_turn after open";
    tried_.resize(turns.size());
    promised_ = found;
  }

  LogOptions options_;
  std::unique_ptr<Manifest> manifest_;
  bool was_open_ = false;
  std::unique_ptr<Log> log_;
  std::uint64_t attempts_ = 0;
  std::uint64_t applied_ = 0;   // in the catalog
  std::uint64_t promised_ = 0;  // acknowledged as durable
  std::uint64_t known_ = 0;     // of which the catalog knows that they were on the disk
  std::vector<Payload> tried_;  // the turns after applied_
};

}  // namespace baton::store::local::testbed
