// The segment files of a log as a supply: which is written to next, which wait until their turns
// are in the catalog, and which may be used again. A file gets its name in the log only when its
// header and its zeros are on the disk, and loses it before anything in it is overwritten; every
// change of a name is durable before the next step builds on it. One thread takes segments and
// retires them, another may release them meanwhile. What is in the records is not looked at here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "baton/result.h"
#include "store/local/log/manifest.h"

namespace baton::store::local {

// A segment that is written to.
struct OpenSegment {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::unique_ptr<base::File> file;
};

// A segment that is not written to any more.
struct RetiredSegment {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  std::uint64_t used = 0;
  std::uint64_t last_turn = 0;  // 0: it holds none
};

class Segments {
 public:
  struct Origin {
    std::uint64_t log_id = 0;
    std::uint64_t segment_bytes = 0;
    std::uint64_t next_number = 0;
    std::vector<std::string> free_files;
    Manifest* manifest = nullptr;  // is told before segments are freed
  };
  Segments(base::Disk& disk, Origin origin);

  // A segment with room for `bytes`, header included, whose records begin at turn `first_turn` or
  // later. Waits for the disk only when none is ready or the ready one is too small.
  Result<OpenSegment> take(std::uint64_t bytes, std::uint64_t first_turn);
  void retire(const RetiredSegment& segment);

  // Frees the retired segments whose turns are all in the catalog, and has one ready unless the
  // disk is full: then it is made when it is needed. Any thread, one at a time.
  Status release(std::uint64_t applied, std::uint64_t first_turn);

  // Bytes in records of segments that are not free. Any thread.
  std::uint64_t bytes_held() const { return bytes_held_.load(std::memory_order_relaxed); }
  void add_bytes_held(std::uint64_t bytes) { bytes_held_ += bytes; }

 private:
  static constexpr std::size_t kSpares = 2;  // free files that are kept

  std::optional<OpenSegment> take_ready();
  std::vector<RetiredSegment> take_applied(std::uint64_t applied);
  Status free(const std::vector<RetiredSegment>& segments);
  Result<OpenSegment> make(std::uint64_t bytes, std::uint64_t first_turn);
  Result<std::unique_ptr<base::File>> blank(std::uint64_t bytes, std::string& name);
  Result<std::unique_ptr<base::File>> reuse(std::string& name);
  Status fill_with_zeros(base::File& file) const;
  Status write_header(base::File& file, std::uint64_t bytes, std::uint64_t first_turn) const;

  base::Disk& disk_;
  const std::uint64_t log_id_;
  const std::uint64_t segment_bytes_;
  Manifest* const manifest_;
  std::atomic<std::uint64_t> bytes_held_{0};

  // Held while files are made or freed, which takes long; always before mutex_.
  std::mutex making_;
  std::uint64_t next_number_;        // guarded by making_
  std::vector<std::string> spares_;  // names of free files; guarded by making_

  std::mutex mutex_;
  std::optional<OpenSegment> ready_;     // guarded by mutex_
  std::vector<RetiredSegment> retired_;  // guarded by mutex_
};

}  // namespace baton::store::local
