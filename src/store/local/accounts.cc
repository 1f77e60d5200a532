#include "store/local/accounts.h"

namespace baton::store::local {

std::uint32_t Accounts::make(std::string_view id) {
  const std::uint32_t index = names_.number(id);
  if (index == accounts_.size()) {
    accounts_.emplace_back();
    accounts_.back().id = id;
  }
  return index;
}

AccountRecord record_of(const Account& account) {
  return {account.id, account.tier, account.balance, account.use.active};
}

AccountChange change_of(const Account& account, std::optional<LedgerEntry> entry,
                        std::string grant_key) {
  const auto& submissions = account.use.submissions;
  return {record_of(account),
          std::move(entry),
          std::move(grant_key),
          {submissions.begin(), submissions.end()}};
}

}  // namespace baton::store::local
