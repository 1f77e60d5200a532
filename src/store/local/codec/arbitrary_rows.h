// Values of everything that is stored, drawn from RapidCheck within a property, with every member
// sometimes set and sometimes not; and whether two such values are the same. For tests only.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/local/machine/row_change.h"
#include "store/local/machine/terms_table.h"

namespace baton::store::local::testbed {

inline Duration doubling(int retry, Duration initial, Duration) {
  return Duration{initial.ms << retry};
}
inline Duration steady(int, Duration initial, Duration) { return initial; }

inline BackoffFunctions known_functions() { return {{"doubling", doubling}, {"steady", steady}}; }

class Draw {
 public:
  explicit Draw(TermsTable& terms) : terms_(terms) {}

  Retry retry_settings() const;
  Timeouts timeout_settings() const;
  lifecycle::Terms terms() const;
  QueueSettings queue_settings() const;
  Submission submission() const;
  lifecycle::ExecutionFacts execution() const;
  lifecycle::JobFacts facts() const;
  HistoryEntry history_entry() const;
  Failure failure() const;
  Outcome outcome() const;
  Waits waits() const;
  JobTexts texts() const;
  JobChange job_change() const;
  RowChange change() const;
  std::vector<RowChange> changes() const;
  StoredJob stored_job() const;

  JobId id() const;
  Time time() const;
  std::string text() const { return *rc::gen::arbitrary<std::string>(); }
  std::int64_t number() const { return *rc::gen::arbitrary<std::int64_t>(); }
  int below(int bound) const { return *rc::gen::inRange(0, bound); }
  bool flag() const { return *rc::gen::arbitrary<bool>(); }

 private:
  template <class Enum>
  Enum one_of() const {
    return static_cast<Enum>(below(static_cast<int>(kNames<Enum>.size())));
  }
  template <class T, class Make>
  std::optional<T> maybe(Make make) const {
    if (flag()) return std::nullopt;
    return make();
  }
  template <class Make>
  auto some(Make make) const {
    std::vector<decltype(make())> made;
    for (int left = below(4); left > 0; --left)
      made.push_back(make());
    return made;
  }
  Duration duration() const { return Duration{number()}; }
  double real() const { return static_cast<double>(number()) / 8; }
  JobId maybe_id() const { return flag() ? id() : JobId{}; }
  Key key() const;
  PayloadHash payload_hash() const;
  HeldKey held_key() const;
  HeldUnique held_unique() const;
  lifecycle::GroupCount group() const;
  Balance balance() const;
  AccountChange account_change() const;
  std::vector<std::pair<std::string, std::string>> tags() const;
  std::vector<std::shared_ptr<const Submission>> submissions() const;

  TermsTable& terms_;
};

// The bytes of a turn.
std::string encoded(Time at, const std::vector<RowChange>& changes);

// Equal in all that is kept: terms by their value, not by their address.
bool same(const lifecycle::JobFacts& a, const lifecycle::JobFacts& b);
bool same(const RowChange& a, const RowChange& b);
bool same(const std::vector<RowChange>& a, const std::vector<RowChange>& b);
bool same(const JobRecord& a, const JobRecord& b);
bool same(const StoredJob& a, const StoredJob& b);

}  // namespace baton::store::local::testbed
