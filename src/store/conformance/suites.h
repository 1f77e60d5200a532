// All suites by name, and how a store takes them on: in a test program that links this library,
//
//   BATON_CONFORMANCE(Memory, memory_subject);
//
// and, for a store that survives a restart, BATON_CONFORMANCE_RECOVERY too. GoogleTest fails a
// program in which a suite is instantiated for nobody; what a store leaves out on purpose it names
// with GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST.
#pragma once

#include "store/conformance/call_table.h"
#include "store/conformance/harness.h"

namespace baton::store::conformance {

class Submit : public Suite {};
class Operating : public Suite {};
class Redrives : public Suite {};
class ClaimOrder : public Suite {};
class Leases : public Suite {};

class Retries : public Suite {};
class Releases : public Suite {};
class Timeouts : public Suite {};
class Dependencies : public Suite {};
class Batches : public Suite {};
class Fans : public Suite {};
class Cancellation : public Suite {};
class CommitBoundary : public Suite {};
class Idempotency : public Suite {};
class Uniqueness : public Suite {};
class Quota : public Suite {};
class Credits : public Suite {};
class Queues : public Suite {};
class Limits : public Suite {};
class Queries : public Suite {};
class ListPages : public Suite {
 protected:
  // A list that was followed to its end.
  struct Joined {
    std::vector<JobId> ids;
    int pages = 0;
    std::size_t most_examined = 0;
  };
  Joined join(ListJobs filter);
  // Jobs of several queues, types, states and labels.
  void make_many();
};
class Explain : public Suite {};
class Retention : public Suite {};
class Profiles : public Suite {};
class Concurrency : public Suite {};
class Together : public Suite {};
class Watching : public Suite {};
// For stores that survive a restart.
class Recovery : public Suite {};
// For stores of one machine, where a restart gives every unfinished lease a full term.
class LeaseRecovery : public Suite {};

inline std::string subject_name(const testing::TestParamInfo<SubjectFactory>& info) {
  return info.param.name;
}

}  // namespace baton::store::conformance

#define BATON_CONFORMANCE_SUITE(store, suite, factory) \
  INSTANTIATE_TEST_SUITE_P(store, suite, testing::Values(factory), subject_name)

#define BATON_CONFORMANCE(store, factory)                  \
  BATON_CONFORMANCE_SUITE(store, Submit, factory);         \
  BATON_CONFORMANCE_SUITE(store, Operating, factory);      \
  BATON_CONFORMANCE_SUITE(store, Redrives, factory);       \
  BATON_CONFORMANCE_SUITE(store, ClaimOrder, factory);     \
  BATON_CONFORMANCE_SUITE(store, Leases, factory);         \
  BATON_CONFORMANCE_SUITE(store, CallTable, factory);      \
  BATON_CONFORMANCE_SUITE(store, Retries, factory);        \
  BATON_CONFORMANCE_SUITE(store, Releases, factory);       \
  BATON_CONFORMANCE_SUITE(store, Timeouts, factory);       \
  BATON_CONFORMANCE_SUITE(store, Dependencies, factory);   \
  BATON_CONFORMANCE_SUITE(store, Batches, factory);        \
  BATON_CONFORMANCE_SUITE(store, Fans, factory);           \
  BATON_CONFORMANCE_SUITE(store, Cancellation, factory);   \
  BATON_CONFORMANCE_SUITE(store, CommitBoundary, factory); \
  BATON_CONFORMANCE_SUITE(store, Idempotency, factory);    \
  BATON_CONFORMANCE_SUITE(store, Uniqueness, factory);     \
  BATON_CONFORMANCE_SUITE(store, Quota, factory);          \
  BATON_CONFORMANCE_SUITE(store, Credits, factory);        \
  BATON_CONFORMANCE_SUITE(store, Queues, factory);         \
  BATON_CONFORMANCE_SUITE(store, Limits, factory);         \
  BATON_CONFORMANCE_SUITE(store, Queries, factory);        \
  BATON_CONFORMANCE_SUITE(store, ListPages, factory);      \
  BATON_CONFORMANCE_SUITE(store, Explain, factory);        \
  BATON_CONFORMANCE_SUITE(store, Retention, factory);      \
  BATON_CONFORMANCE_SUITE(store, Profiles, factory);       \
  BATON_CONFORMANCE_SUITE(store, Concurrency, factory);    \
  BATON_CONFORMANCE_SUITE(store, Together, factory);       \
  BATON_CONFORMANCE_SUITE(store, Watching, factory)

#define BATON_CONFORMANCE_RECOVERY(store, factory) BATON_CONFORMANCE_SUITE(store, Recovery, factory)

#define BATON_CONFORMANCE_LEASE_RECOVERY(store, factory) \
  BATON_CONFORMANCE_SUITE(store, LeaseRecovery, factory)
