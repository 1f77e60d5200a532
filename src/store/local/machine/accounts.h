// Accounts in memory: tier, balance, use of the quota. An account that nobody made is a guest with
// nothing; it comes into being with its first job or grant. Those that no live job names may leave
// memory when there are many, and come back from the archive when they are named again. One thread
// at a time.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lifecycle/ledger.h"
#include "lifecycle/quota.h"
#include "store/local/machine/queues.h"
#include "store/local/machine/row_change.h"
#include "store/local/machine/stored.h"
#include "store/record.h"

namespace baton::store::local {

struct KnownAccount {
  std::string id;  // empty: nobody has this index
  Tier tier = Tier::kGuest;
  Balance balance;
  lifecycle::QuotaUse use;
  std::int64_t entry_count = 0;
  std::uint32_t holders = 0;  // slots that have its index
  // Its neighbours among those without holders.
  std::uint32_t older = kNoName;
  std::uint32_t newer = kNoName;
};

class Accounts {
 public:
  // kNoName when it is not in memory.
  std::uint32_t find(std::string_view id) const;
  // Made when it is not in memory: whoever calls knows that the archive has none.
  std::uint32_t make(std::string_view id);
  // Takes up what a store kept of an account that is not in memory.
  std::uint32_t load(const StoredAccount& stored);
  KnownAccount& operator[](std::uint32_t index) { return accounts_[index]; }
  const KnownAccount& operator[](std::uint32_t index) const { return accounts_[index]; }
  std::size_t size() const { return by_id_.size(); }

  // A slot has the index, or no longer has. The account stays, and the index is its own, while any
  // slot has it; otherwise until the next `shrink`.
  void hold(std::uint32_t index);
  void release(std::uint32_t index);
  // It was named: others leave before it.
  void touch(std::uint32_t index);

  // Forgets accounts without holders, those first that were not named for the longest time,
  // until at most `most` are left. Stops at one that may not go yet, and after looking at twice as
  // many as came since the last time and some more.
  using MayGo = std::function<bool(const std::string& id)>;
  void shrink(std::size_t most, const MayGo& may_go);

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t index = 0; index < accounts_.size(); ++index) {
      if (!accounts_[index].id.empty()) visit(index, accounts_[index]);
    }
  }

 private:
  void append(std::uint32_t index);
  void unlink(std::uint32_t index);

  std::deque<KnownAccount> accounts_;
  std::vector<std::uint32_t> free_;
  boost::unordered_flat_map<std::string_view, std::uint32_t> by_id_;  // the ids are the accounts'
  // Those without holders, in the order in which they were last named.
  std::uint32_t oldest_ = kNoName;
  std::uint32_t newest_ = kNoName;
  std::size_t came_ = 0;  // since the last `shrink`
};

Account record_of(const KnownAccount& account);

// What brings a change of an account, beside a posting.
struct AccountNews {
  std::string grant_key;
  Time submitted;
};
// The account's row as it is now, with what brought the change.
AccountChange change_of(const KnownAccount& account, AccountNews news = {},
                        std::optional<LedgerEntry> entry = {});

}  // namespace baton::store::local
