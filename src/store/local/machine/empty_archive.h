// An archive of a store in which nothing was ever kept, for tests and benchmarks of a Machine
// alone.
#pragma once

#include "store/local/machine/archive.h"

namespace baton::store::local {

class EmptyArchive final : public Archive {
 public:
  Result<std::optional<ArchivedJob>> facts(const JobId&) const override {
    return std::optional<ArchivedJob>();
  }
  Result<std::vector<JobId>> children(const JobId&) const override { return std::vector<JobId>(); }
  Result<std::optional<LeaseToken>> token(const JobId&, int) const override {
    return std::optional<LeaseToken>();
  }
  Result<std::shared_ptr<const JobRecord>> record(const JobId&) const override {
    return std::shared_ptr<const JobRecord>();
  }
  Result<std::vector<Standing>> standings(const Standing&, std::size_t) const override {
    return std::vector<Standing>();
  }
  Result<std::vector<EndedJob>> ended(const Standing&, const EndedJob&, Time,
                                      std::size_t) const override {
    return std::vector<EndedJob>();
  }
  Result<std::optional<StoredAccount>> account(const std::string&) const override {
    return std::optional<StoredAccount>();
  }
  bool is_told(const std::string&) const override { return false; }
  Result<bool> has_grant(const std::string&, const std::string&) const override { return false; }
  Reads reads() const override { return {}; }
};

}  // namespace baton::store::local
