// Writes accounts, their ledgers and the keys of their grants. An account that changes several
// times is written once; its ledger gets every posting. Within a transaction of the caller.
#pragma once

#include <string_view>
#include <unordered_map>

#include "store/local/catalog/sql.h"
#include "store/local/row_change.h"

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
    std::int64_t entry_count = 0;  // 0: no posting
  };

  void add_entry(const std::string& account, const LedgerEntry& entry);

  Statement put_account_;
  Statement add_entry_;
  Statement add_grant_key_;
  std::unordered_map<std::string_view, Latest> latest_;
};

}  // namespace baton::store::local
