#include "store/local/durable/recent_accounts.h"

namespace baton::store::local {

void RecentAccounts::add(const TurnChanges& turn) {
  for (const RowChange& one : turn.changes) {
    const auto* change = std::get_if<AccountChange>(&one);
    if (change == nullptr) continue;
    ++changes_[change->account.id];
    if (!change->grant_key.empty()) grants_.emplace(change->account.id, change->grant_key);
  }
}

void RecentAccounts::drop(const TurnChanges& turn) {
  for (const RowChange& one : turn.changes) {
    const auto* change = std::get_if<AccountChange>(&one);
    if (change == nullptr) continue;
    const auto found = changes_.find(change->account.id);
    if (--found->second == 0) changes_.erase(found);
    if (!change->grant_key.empty()) grants_.erase({change->account.id, change->grant_key});
  }
}

}  // namespace baton::store::local
