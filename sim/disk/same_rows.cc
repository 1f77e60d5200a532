#include "sim/disk/same_rows.h"

#include "sim/model/mismatch.h"

namespace baton::sim {
namespace {

using namespace store;         // NOLINT(google-build-using-namespace)
using namespace store::local;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kListLimit = 100;

template <class T>
T value_of(Result<T> result, const std::string& what) {
  if (!result) mismatch(what + " cannot be read: " + result.error().message);
  return std::move(*result);
}

void compare_facts(const std::string& of, lifecycle::JobFacts expected,
                   lifecycle::JobFacts actual) {
  expect(*expected.terms == *actual.terms, of + "has other terms");
  expected.terms = actual.terms;
  expect_equal(of + "state", expected.state, actual.state);
  expect_equal(of + "version", expected.version, actual.version);
  expect_equal(of + "lease", expected.execution.lease_expires_at,
               actual.execution.lease_expires_at);
  expect(expected.execution == actual.execution, of + "has another execution");
  expect(expected == actual, of + "has other facts");
}

void compare_staged(const std::string& of, const JobRecord& expected, const JobRecord& actual) {
  expect_equal(of + "staged children", expected.staged.size(), actual.staged.size());
  for (std::size_t i = 0; i < expected.staged.size(); ++i)
    expect(*expected.staged[i] == *actual.staged[i], of + "has another staged child");
}

void compare_record(const JobRecord& expected, const JobRecord& actual) {
  const std::string of = "stored job " + shown(expected.id) + " ";
  expect(expected.id == actual.id, of + "has another id");
  expect_equal(of + "number", expected.number, actual.number);
  expect(*expected.spec == *actual.spec, of + "has another submission");
  compare_facts(of, expected.facts, actual.facts);
  expect(expected.labels == actual.labels, of + "has other labels");
  expect(expected.last_failure == actual.last_failure, of + "has another failure");
  expect_equal(of + "progress message", expected.progress_message, actual.progress_message);
  expect_equal(of + "checkpoint", expected.checkpoint, actual.checkpoint);
  expect(expected.result == actual.result, of + "has another result");
  expect_equal(of + "parent", expected.parent, actual.parent);
  expect_equal(of + "redriven_from", expected.redriven_from, actual.redriven_from);
  expect_equal(of + "redriven_to", expected.redriven_to, actual.redriven_to);
  expect(expected.children == actual.children, of + "has other children");
  compare_staged(of, expected, actual);
  expect(expected.executions == actual.executions, of + "has other executions");
  expect(expected.history == actual.history, of + "has another history");
}

void compare_job(const StoredJob& expected, const StoredJob& actual) {
  const std::string of = "stored job " + shown(expected.record.id) + " ";
  compare_record(expected.record, actual.record);
  expect_equal(of + "place among the ready ones", expected.ready, actual.ready);
  expect(expected.key == actual.key, of + "has another key");
  expect(expected.waits == actual.waits, of + "waits for others");
  expect(expected.unique == actual.unique, of + "holds another unique key");
}

void compare_jobs(CatalogReader& reader, const Rows& expected) {
  for (const auto& [number, record] : expected.jobs()) {
    const auto found = value_of(reader.find(record->id), "job " + shown(record->id));
    expect(found.has_value(), "job " + shown(record->id) + " is not in the catalog");
    compare_job(expected.stored(record->id), found->job);
  }
}

// Newest first, page after page, until the end: nothing missing, nothing more.
void compare_list(CatalogReader& reader, const Rows& expected) {
  store::ListJobs filter;
  filter.limit = kListLimit;
  auto next = expected.jobs().rbegin();
  do {
    const JobList list = value_of(reader.list(filter), "the list");
    for (const auto& record : list.jobs) {
      expect(next != expected.jobs().rend(), "the list has a job too many");
      expect_equal("number in the list", next->first, record->number);
      ++next;
    }
    filter.before_number = list.next_before_number;
  } while (filter.before_number != 0);
  expect(next == expected.jobs().rend(), "the list ends too early");
}

void compare_ledgers(CatalogReader& reader, const Rows& expected) {
  for (const auto& [id, account] : expected.accounts()) {
    const auto entries = value_of(reader.entries({id, 0, SIZE_MAX}), "the ledger of " + id);
    expect(entries == expected.entries(id), "the ledger of " + id + " has other entries");
  }
}

void compare_audit_log(CatalogReader& reader, const Rows& expected) {
  const auto log = value_of(reader.audit_log(), "the audit log");
  expect_equal("audit records", expected.audit_log().size(), log.size());
  for (std::size_t i = 0; i < log.size(); ++i) {
    const AuditRecord& one = expected.audit_log()[i];
    const bool same = one.action == log[i].action && one.job == log[i].job &&
                      one.account == log[i].account && one.at == log[i].at;
    expect(same, "audit record " + shown(i) + " differs");
  }
}

// Whether there is something; it may be missing only because it is damaged.
template <class T>
bool is_left(const Result<T>& result, const std::string& what) {
  if (result.ok()) return true;
  expect(result.error().code == Code::kDamaged, what + ": " + result.error().message);
  return false;
}

}  // namespace

void compare_what_is_left(DataDirectory& data, const Rows& expected) {
  const auto reader = data.open_reader();
  if (!is_left(reader, "the catalog")) return;
  for (const auto& [number, record] : expected.jobs()) {
    const std::string what = "job " + shown(record->id);
    const auto found = (*reader)->find(record->id);
    if (!is_left(found, what)) continue;
    expect(found->has_value(), what + " is said not to be there");
    compare_job(expected.stored(record->id), (*found)->job);
  }
  for (const auto& [id, account] : expected.accounts()) {
    const auto entries = (*reader)->entries({id, 0, SIZE_MAX});
    if (!is_left(entries, "the ledger of " + id)) continue;
    expect(*entries == expected.entries(id), "the ledger of " + id + " has other entries");
  }
}

void compare_records(DataDirectory& data, const Rows& expected) {
  const auto reader = value_of(data.open_reader(), "the catalog");
  for (const auto& [number, record] : expected.jobs()) {
    const auto found = value_of(data.record(*reader, record->id), "job " + shown(record->id));
    expect(found != nullptr, "job " + shown(record->id) + " is not in the store");
    compare_record(*record, *found);
  }
}

void compare_catalog(DataDirectory& data, const Rows& expected) {
  const auto reader = value_of(data.open_reader(), "the catalog");
  compare_jobs(*reader, expected);
  compare_list(*reader, expected);
  compare_ledgers(*reader, expected);
  compare_audit_log(*reader, expected);
  for (const std::string& fault : value_of(data.check(), "the catalog"))
    mismatch("the catalog says: " + fault);
}

}  // namespace baton::sim
