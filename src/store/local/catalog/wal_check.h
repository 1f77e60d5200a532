// Whether what stands in a write-ahead log of SQLite is what was written there. SQLite itself looks
// at the checksums of its frames only when it recovers the log after a crash, and then takes the
// first one that does not fit for the end. Here every frame is looked at whenever it is read, and a
// log that goes on behind a frame that does not fit is damaged: behind it a transaction ends, and
// the sums of the next one go on from its own. The format is SQLite's own:
// https://www.sqlite.org/fileformat2.html#walformat
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace baton::store::local {

inline constexpr std::size_t kWalHeaderBytes = 32;
inline constexpr std::size_t kFrameHeaderBytes = 24;

// Fills `into` from the offset on, or gives SQLite's code for why not.
using ReadWal = std::function<int(std::uint64_t offset, std::span<std::byte> into)>;

// Where a frame stands, counted from 0.
std::uint64_t frame_at(std::uint64_t frame);

// SQLITE_OK: the page of this frame is the one that was written. SQLITE_IOERR_DATA: it is not; any
// other code is the reader's. `page` is the frame's page as it was read.
int check_frame(const ReadWal& read, std::uint64_t frame, std::span<const std::byte> page);

// The whole log, before it is recovered; `size` is the file's. SQLITE_IOERR_DATA: what was durable
// is damaged, and `why` says where. A last transaction that a crash has torn is not damage,
// whatever lies behind it from earlier ones. Damage to the last one, or to the end of the one
// before it, is taken for that. `whole`: the bytes up to the first frame that does not fit.
int check_wal(const ReadWal& read, std::uint64_t size, std::uint64_t& whole, std::string& why);

}  // namespace baton::store::local
