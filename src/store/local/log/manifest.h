// What log and catalog of a store must have of each other, in a file of its own (`manifest`): the
// id that both carry, the segment that holds the last turns, and how far the catalog has come when
// the log was freed and when the catalog was last brought to rest. It is written before that
// changes what must be there, so that a file which is missing, of another store or older than the
// others is told from everything that a crash can leave. The format is in docs/log-format.md. Any
// thread.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/disk.h"
#include "baton/result.h"

namespace baton::store::local {

inline constexpr const char* kManifestName = "manifest";
inline constexpr std::uint32_t kManifestFormat = 1;

struct ManifestState {
  std::uint64_t store_id = 0;  // of the log and of the catalog
  std::uint64_t tail = 0;      // the segment that holds the last turns; 0: none has to be there
  std::uint64_t applied = 0;   // the catalog has all turns up to it: the log need not
  std::uint64_t at_rest = 0;   // so far the catalog's own file has come, without its journal
  // So far it is just being brought, and the journal is needed for it; unset: it is at rest, or all
  // that is newer stands in the journal.
  std::optional<std::uint64_t> coming_to_rest{};
  bool bound = false;  // the catalog carries the id

  friend bool operator==(const ManifestState&, const ManifestState&) = default;
};

class Manifest {
 public:
  // What the file says; nullopt when it is not there. store_unavailable when it cannot be read, is
  // damaged or of a later format. Changes nothing.
  static Result<std::optional<ManifestState>> read(base::Disk& disk);
  // Makes the file, in place of one that is there; durable when it returns.
  static Status make(base::Disk& disk, const ManifestState& state);
  // Opens the file, which must be there, to change it, and writes it once: what a process that
  // died has left may be readable and yet not be on the disk. `disk` must outlive it.
  static Result<std::unique_ptr<Manifest>> open(base::Disk& disk);
  ~Manifest();
  Manifest(const Manifest&) = delete;
  Manifest& operator=(const Manifest&) = delete;

  ManifestState state() const;

  // Each is durable when it returns, and writes nothing when it changes nothing. After an error
  // whatever was to build on it must not be done.

  // Records are going to be written to this segment, and to none with a higher number; 0: all turns
  // of the log are in the catalog, and any segment may go.
  Status set_tail(std::uint64_t segment);
  // The catalog has all turns up to this one, durably.
  Status set_applied(std::uint64_t turn);
  Status set_bound();
  // The catalog is made anew from the log.
  Status forget_catalog();
  // Around each time that the catalog's journal is brought into its file.
  Status begin_rest(std::uint64_t turn);
  Status end_rest(std::uint64_t turn);

 private:
  struct Parts;
  explicit Manifest(std::unique_ptr<Parts> parts);
  template <class Change>
  Status change(Change change);

  std::unique_ptr<Parts> parts_;
};

}  // namespace baton::store::local
