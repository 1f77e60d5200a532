// Accounts in memory: tier, balance, use of the quota. An account that nobody made is a guest with
// nothing; it comes into being with its first job or grant. One thread at a time.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "lifecycle/ledger.h"
#include "lifecycle/quota.h"
#include "store/local/queues.h"
#include "store/local/row_change.h"
#include "store/record.h"

namespace baton::store::local {

struct Account {
  std::string id;
  Tier tier = Tier::kGuest;
  Balance balance;
  lifecycle::QuotaUse use;
  std::int64_t entry_count = 0;
  std::unordered_set<std::string> grant_keys;
};

class Accounts {
 public:
  std::uint32_t find(std::string_view id) const { return names_.find(id); }
  std::uint32_t make(std::string_view id);
  Account& operator[](std::uint32_t index) { return accounts_[index]; }
  const Account& operator[](std::uint32_t index) const { return accounts_[index]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(accounts_.size()); }

 private:
  Names names_;
  std::deque<Account> accounts_;
};

AccountRecord record_of(const Account& account);
// The account's row as it is now, with what brought the change.
AccountChange change_of(const Account& account, std::optional<LedgerEntry> entry = {},
                        std::string grant_key = {});

}  // namespace baton::store::local
