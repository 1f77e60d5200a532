// Reads accounts and the keys of their grants out of the catalog's tables, one row each. Anything
// that does not decode is thrown, with the account's name. One thread at a time.
#pragma once

#include <optional>
#include <string>

#include "store/local/catalog/sql.h"
#include "store/local/machine/stored.h"

namespace baton::store::local {

class AccountRows {
 public:
  explicit AccountRows(Database& database);

  std::optional<StoredAccount> read(std::string_view id);
  bool has_grant(std::string_view account, std::string_view key);

 private:
  Database& database_;
  Statement account_;
  Statement grant_;
};

}  // namespace baton::store::local
