// Writes accounts, their ledgers and the keys of their grants. An account that changes several
// times is written once; its ledger gets every posting. The submissions of its past hour are read
// and written only when some are added. Within a transaction of the caller.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "store/local/catalog/sql.h"
#include "store/local/machine/row_change.h"

namespace baton::store::local {

class LedgerWriter {
 public:
  explicit LedgerWriter(Database& database);

  // The change must live until `write`.
  void add(const AccountChange& change);
  void write();
  // What was added is not written.
  void forget() { latest_.clear(); }

 private:
  struct Latest {
    const AccountChange* change = nullptr;
    std::int64_t entry_count = 0;                  // 0: no posting
    std::optional<std::vector<Time>> submissions;  // unset: as they are
  };

  void add_entry(const std::string& account, const LedgerEntry& entry);
  std::vector<Time> submissions_of(const std::string& account);

  Database& database_;
  Statement put_account_;
  Statement submissions_;
  Statement add_entry_;
  Statement add_grant_key_;
  std::unordered_map<std::string_view, Latest> latest_;
};

}  // namespace baton::store::local
