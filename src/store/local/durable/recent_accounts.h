// What turns that the catalog has not got yet did to accounts: which ones they changed, and under
// which keys they made grants. Not thread-safe; RecentTurns locks.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "store/local/codec/codec.h"

namespace baton::store::local {

class RecentAccounts {
 public:
  void add(const TurnChanges& turn);
  // The catalog has the turn.
  void drop(const TurnChanges& turn);

  bool has_changes(const std::string& account) const { return changes_.contains(account); }
  bool has_grant(const std::string& account, const std::string& key) const {
    return grants_.contains({account, key});
  }

 private:
  boost::unordered_flat_map<std::string, std::size_t> changes_;  // how many, by account
  std::set<std::pair<std::string, std::string>> grants_;         // account and key
};

}  // namespace baton::store::local
