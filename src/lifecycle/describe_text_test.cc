#include "lifecycle/describe.h"

#include <gtest/gtest.h>

namespace baton::lifecycle {
namespace {

TEST(DescribeText, VocabularyAndPoliciesWrittenByHand) {
  std::string out = "before\n";
  describe_text(out);
  const std::string expected = R"(before
PROFILES (the first is the default)

standard    the full job model: priorities, delays, retries, dependencies, dead letter
document    document processing: drafts, three retries one second apart
commit      executions are the source of truth, the job state is derived from them
generation  paid generation work: guards, credits, moderation, assets
lease       a work queue: short leases, fencing tokens, full jitter

VOCABULARY: the profiles' words for the canonical states (-: never reached)

canonical    standard     document   commit     generation   lease
CREATED      -            CREATED    -          -            -
PENDING      PENDING      QUEUED     PENDING    queued       Ready
DELAYED      DELAYED      QUEUED     PENDING    queued       Ready
SCHEDULED    SCHEDULED    QUEUED     PENDING    queued       Ready
RUNNING      RUNNING      RUNNING    RUNNING    running      InFlight
RETRYING     RETRYING     RETRYING   PENDING    failed       Ready
COMPLETED    COMPLETED    SUCCEEDED  SUCCEEDED  completed    Succeeded
FAILED       FAILED       FAILED     FAILED     -            Failed
DEAD_LETTER  DEAD_LETTER  -          -          dead_letter  -
CANCELLED    CANCELLED    FAILED     FAILED     cancelled    Failed
REJECTED     -            -          -          rejected     -

POLICIES: defaults, and where failures lead

                       standard     document  commit    generation   lease
runs at most           3            4         4         3            4
retries shown at most  2            3         3         3            3
exhausted leads to     DEAD_LETTER  FAILED    FAILED    DEAD_LETTER  FAILED
permanent leads to     FAILED       FAILED    FAILED    DEAD_LETTER  FAILED
backoff                exponential  constant  constant  exponential  exponential
first delay            1 s          1 s       0         2 s          500 ms
multiplier             x2           -         -         x2           x2
longest delay          1 h          1 s       1 h       30 s         30 s
jitter                 none         none      none      none         full
lost lease waits       0            1 s       0         0            0
free releases          100          100       100       100          0
lease                  5 min        30 s      30 s      30 s         5 s
execution timeout      30 min       30 min    30 min    5 min        5 min
total lifetime         7 d          7 d       7 d       7 d          7 d
retry settings pinned  no           yes       no        no           no
last failure retries   no           no        no        yes          no
no idempotency key     none         none      none      auto         none
bad ending frees key   no           no        no        yes          no
quota of accounts      no           no        no        yes          no

TRANSITIONS: every step that a job can take

from       to           trigger     what happens
-          CREATED      create      a job is made and waits to be submitted
)";
  EXPECT_EQ(out.substr(0, expected.size()), expected);
}

TEST(DescribeText, TransitionsHaveALineEach) {
  std::string out;
  describe_text(out);
  for (const Transition& row : transitions()) {
    std::string line = row.from == JobState::kNone ? "-" : std::string(name(row.from));
    line.resize(11, ' ');
    line += name(row.to);
    line.resize(24, ' ');
    line += name(row.trigger);
    line.resize(36, ' ');
    line += row.label;
    EXPECT_NE(out.find("\n" + line + "\n"), std::string::npos) << line;
  }
}

TEST(DescribeText, CallsWrittenByHand) {
  std::string out;
  describe_text(out);
  const std::string expected =
      R"(
CALLS: what a worker's call does in each status of its execution

call       LEASED              IN_PROGRESS         COMMITTED          DONE               ABORTED
start      -> IN_PROGRESS      same answer         already_committed  already_committed  stale_lease
heartbeat  lease extended      lease extended      lease extended     stale_lease        stale_lease
commit*    invalid_transition  -> COMMITTED        same answer        same answer        stale_lease
done*      invalid_transition  invalid_transition  -> DONE            same answer        stale_lease
ack*       -> DONE             -> DONE             -> DONE            same answer        stale_lease
nack       -> ABORTED          -> ABORTED          already_committed  already_committed  stale_lease
reject     -> ABORTED          -> ABORTED          already_committed  already_committed  stale_lease
cancelled  -> ABORTED          -> ABORTED          already_committed  already_committed  stale_lease
spawn      staged              staged              already_committed  already_committed  stale_lease
asset      staged              staged              already_committed  already_committed  stale_lease
release    -> ABORTED          -> ABORTED          already_committed  already_committed  stale_lease

*  in ABORTED: already_committed when another execution of the job committed.
An execution that is not its job's latest counts as ABORTED. A wrong token: stale_lease.
)";
  ASSERT_GE(out.size(), expected.size());
  EXPECT_EQ(out.substr(out.size() - expected.size()), expected);
}

}  // namespace
}  // namespace baton::lifecycle
