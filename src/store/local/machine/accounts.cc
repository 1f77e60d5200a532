#include "store/local/machine/accounts.h"

#include "base/assert.h"

namespace baton::store::local {
namespace {

// Accounts that a turn may look at to forget them, beside those that make up for what came.
constexpr std::size_t kLooksOfATurn = 64;

}  // namespace

std::uint32_t Accounts::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? kNoName : found->second;
}

std::uint32_t Accounts::make(std::string_view id) {
  BATON_ASSERT(!id.empty());
  const std::uint32_t known = find(id);
  if (known != kNoName) return known;
  std::uint32_t index = static_cast<std::uint32_t>(accounts_.size());
  if (free_.empty()) {
    accounts_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  accounts_[index].id = id;
  by_id_.emplace(accounts_[index].id, index);
  append(index);
  ++came_;
  return index;
}

std::uint32_t Accounts::load(const StoredAccount& stored) {
  BATON_ASSERT(find(stored.account.id) == kNoName);
  const std::uint32_t index = make(stored.account.id);
  KnownAccount& account = accounts_[index];
  account.tier = stored.account.tier;
  account.balance = stored.account.balance;
  account.use.active = stored.account.active_jobs;
  account.use.submissions = stored.submissions;
  account.entry_count = stored.entry_count;
  return index;
}

void Accounts::hold(std::uint32_t index) {
  if (accounts_[index].holders++ == 0) unlink(index);
}

void Accounts::release(std::uint32_t index) {
  BATON_ASSERT(accounts_[index].holders > 0);
  if (--accounts_[index].holders == 0) append(index);
}

void Accounts::touch(std::uint32_t index) {
  if (accounts_[index].holders > 0 || index == newest_) return;
  unlink(index);
  append(index);
}

void Accounts::shrink(std::size_t most, const MayGo& may_go) {
  std::size_t looks = kLooksOfATurn + 2 * came_;
  came_ = 0;
  for (; size() > most && oldest_ != kNoName && looks > 0; --looks) {
    const std::uint32_t index = oldest_;
    if (!may_go(accounts_[index].id)) return;
    unlink(index);
    by_id_.erase(accounts_[index].id);
    accounts_[index] = {};
    free_.push_back(index);
  }
}

void Accounts::append(std::uint32_t index) {
  accounts_[index].older = newest_;
  accounts_[index].newer = kNoName;
  (newest_ == kNoName ? oldest_ : accounts_[newest_].newer) = index;
  newest_ = index;
}

void Accounts::unlink(std::uint32_t index) {
  const auto [older, newer] = std::pair(accounts_[index].older, accounts_[index].newer);
  (older == kNoName ? oldest_ : accounts_[older].newer) = newer;
  (newer == kNoName ? newest_ : accounts_[newer].older) = older;
}

Account record_of(const KnownAccount& account) {
  return {account.id, account.tier, account.balance, account.use.active};
}

AccountChange change_of(const KnownAccount& account, AccountNews news,
                        std::optional<LedgerEntry> entry) {
  return {record_of(account), std::move(entry), std::move(news.grant_key), news.submitted, {}};
}

void apply(std::vector<Time>& submissions, const AccountChange& change) {
  if (change.hour) submissions = *change.hour;
  if (change.submitted.is_set()) lifecycle::add_submission(submissions, change.submitted);
}

}  // namespace baton::store::local
