// The log makes turns durable. Each turn is a number and some bytes; the log keeps them in segment
// files of fixed size until they are in the catalog, and gives them back after a crash: every turn
// that was acknowledged, none of them changed, without a gap. One write to the disk is one record
// with a checksum, however many turns it holds, so that a crash leaves all of a write or nothing.
// The format is docs/log-format.md. One thread appends; release() may be called from one other.
// The log knows nothing of what the bytes mean.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/aligned_buffer.h"
#include "base/disk.h"
#include "baton/result.h"
#include "store/local/log/manifest.h"

namespace baton::store::local {

struct LogOptions {
  std::uint64_t segment_bytes = 16ULL << 20;  // a multiple of the disk's block
  std::uint64_t new_id = 0;                   // of a log that is made; 0: a random one
  // What the log must have, and has to say before it changes that; must outlive the log. Its id is
  // the log's. nullptr: only what stands in the segments counts.
  Manifest* manifest = nullptr;
  std::uint64_t on_disk = 0;  // with a manifest: turns up to it were in the log
};

class Log {
 public:
  using Visit = std::function<Status(std::uint64_t turn, std::span<const std::byte> payload)>;

  // Reads all segments, finds the end of the log and makes the first segment ready. Turns up to
  // `applied` are in the catalog already and may be missing. `disk` must outlive the log, and only
  // one log may use it at a time (base::DirectoryLock). Errors: store_unavailable when the disk
  // fails, when a record is damaged that valid ones follow, when turns after `applied` are missing,
  // when the manifest speaks of something that is not there or of another log, or when the format
  // is newer than this program. The message names file, offset and turn; nothing has been changed
  // on the disk then. A torn record at the end is normal and is overwritten.
  static Result<std::unique_ptr<Log>> open(base::Disk& disk, const LogOptions& options,
                                           std::uint64_t applied);
  // Turns that wait in memory are dropped: call flush() before.
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Every turn after `applied`, in order. Stops at the first error, the visitor's or the disk's,
  // and returns it. Only before the first append.
  Status replay(const Visit& visit);

  // ---- Appending; one thread ----------------------------------------------------------------

  // Turn numbers rise by exactly one: the next is last_turn() + 1. `write` is called once with the
  // log's write buffer, appends the payload to its end and does nothing else to it; when it throws,
  // the log is as it was. With `durable` it returns when
  // this turn and all before it are on the disk. Without, the turn may wait in memory until the
  // next durable one, flush(), or until much waits. After an error (store_unavailable) the turns
  // that were not acknowledged may be found after the next open(), from the first on, or not; this
  // Log refuses everything from then on.
  template <class Write>
  requires std::invocable<Write, base::AlignedBuffer&> Status append(std::uint64_t turn,
                                                                     Write write, bool durable) {
    base::AlignedBuffer& buffer = begin_turn(turn);
    try {
      write(buffer);
    } catch (...) {
      drop_turn();
      throw;
    }
    return end_turn(durable);
  }
  // The same with bytes that are there already.
  Status append(std::uint64_t turn, std::span<const std::byte> payload, bool durable) {
    return append(
        turn, [payload](base::AlignedBuffer& buffer) { buffer.append(payload); }, durable);
  }

  // Writes what waits in memory.
  Status flush();

  // ---- Any thread ---------------------------------------------------------------------------

  // All turns up to `applied` are in the catalog: segments with none after it are used again. Also
  // makes the next segment ready, so that an append need not wait for it: call it regularly, even
  // when nothing new was applied. Not from two threads at once. Errors as with append().
  Status release(std::uint64_t applied);

  // The last turn that was ended, and the last that is on the disk. After open() both are the last
  // turn of the log, or `applied` if that is higher.
  std::uint64_t last_turn() const { return last_turn_.load(std::memory_order_acquire); }
  std::uint64_t durable_turn() const { return durable_turn_.load(std::memory_order_acquire); }
  // Bytes written to segments that release() has not freed yet.
  std::uint64_t bytes_held() const;

 private:
  struct Parts;
  explicit Log(std::unique_ptr<Parts> parts);

  base::AlignedBuffer& begin_turn(std::uint64_t turn);
  void drop_turn();
  Status end_turn(bool durable);

  std::unique_ptr<Parts> parts_;
  std::atomic<std::uint64_t> last_turn_{0};
  std::atomic<std::uint64_t> durable_turn_{0};
};

}  // namespace baton::store::local
