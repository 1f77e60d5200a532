// An archive in front of another one that fails when it is told to, for all rows or for one job.
// For tests only.
#pragma once

#include <optional>

#include "store/local/machine/archive.h"

namespace baton::store::local::testbed {

class WatchedArchive final : public Archive {
 public:
  explicit WatchedArchive(const Archive& rows) : rows_(rows) {}

  std::optional<Code> fails;  // with this code
  JobId only;                 // nil: whatever is asked for

  Result<std::optional<ArchivedJob>> facts(const JobId& id) const override {
    if (is_bad(id)) return error();
    return rows_.facts(id);
  }
  Result<std::vector<JobId>> children(const JobId& id) const override {
    if (is_bad(id)) return error();
    return rows_.children(id);
  }
  Result<std::optional<LeaseToken>> token(const JobId& id, int attempt) const override {
    if (is_bad(id)) return error();
    return rows_.token(id, attempt);
  }
  Result<std::shared_ptr<const JobRecord>> record(const JobId& id) const override {
    if (is_bad(id)) return error();
    return rows_.record(id);
  }
  Result<std::vector<Standing>> standings(const Standing& after, std::size_t limit) const override {
    if (is_bad({})) return error();
    return rows_.standings(after, limit);
  }
  Result<std::vector<EndedJob>> ended(const Standing& standing, const EndedJob& after, Time until,
                                      std::size_t limit) const override {
    if (is_bad({})) return error();
    return rows_.ended(standing, after, until, limit);
  }
  Result<std::optional<StoredAccount>> account(const std::string& id) const override {
    if (is_bad({})) return error();
    return rows_.account(id);
  }
  bool is_told(const std::string& account) const override { return rows_.is_told(account); }
  Result<bool> has_grant(const std::string& account, const std::string& key) const override {
    if (is_bad({})) return error();
    return rows_.has_grant(account, key);
  }
  Reads reads() const override { return rows_.reads(); }

 private:
  bool is_bad(const JobId& id) const { return fails && (only.is_nil() || only == id); }
  Error error() const { return {*fails, "a row cannot be read", {}, {}}; }

  const Archive& rows_;
};

}  // namespace baton::store::local::testbed
