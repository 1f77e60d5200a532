// Reads a log from the disk and finds its end. The end is the first place that holds no valid
// record of the turn that is due; when a valid record of that turn or a later one follows
// nevertheless, the log is damaged, and that is an error. Changes nothing on the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/disk.h"
#include "baton/result.h"
#include "store/local/log/format.h"
#include "store/local/log/manifest.h"

namespace baton::store::local {

struct ScannedSegment {
  SegmentHeader header;
  std::uint64_t end = kSegmentHeaderBytes;  // after the last valid record
  std::uint64_t last_turn = 0;              // 0: it holds none
  std::uint64_t last_record_at = 0;         // when it holds any
};

struct ScannedLog {
  std::uint64_t log_id = 0;              // 0: there is no segment
  std::uint64_t last_turn = 0;           // 0: there is no turn
  std::uint64_t last_number = 0;         // the highest of any file
  std::vector<ScannedSegment> segments;  // by number
  std::vector<std::string> free_files;   // may be used again
  std::vector<std::string> half_made;    // left by a crash
};

// Turns up to `applied` may be missing. Errors as Log::open() says.
Result<ScannedLog> scan_log(base::Disk& disk, std::uint64_t applied);

// The id that the segments carry; 0 when there is none. An error when a header cannot be read.
Result<std::uint64_t> find_log_id(base::Disk& disk);

// Whether the log is the one that the manifest speaks of, with all that it must have. `on_disk` is
// the last turn that the catalog knows to have been in the log. store_unavailable, with the file
// that is to blame and what can be done.
Status check_belongs(const ScannedLog& log, const ManifestState& manifest, std::uint64_t on_disk);

using VisitTurn = std::function<Status(std::uint64_t turn, std::span<const std::byte> payload)>;

// The turns of one scanned segment that come after `applied`, in order, until the first error.
Status replay_segment(base::Disk& disk, const ScannedSegment& segment, std::uint64_t applied,
                      const VisitTurn& visit);

}  // namespace baton::store::local
