#include "lifecycle/describe.h"

#include <gtest/gtest.h>

namespace baton::lifecycle {
namespace {

std::string diagram_of(std::string_view profile) {
  std::string out;
  append_profile_diagram(out, *find_profile(profile));
  return out;
}

TEST(Diagrams, OfStandardWrittenByHand) {
  EXPECT_EQ(diagram_of("standard"), R"(```mermaid
stateDiagram-v2
    [*] --> PENDING : create
    PENDING --> SCHEDULED : ready
    PENDING --> DELAYED : delay
    DELAYED --> SCHEDULED : due
    SCHEDULED --> RUNNING : claim
    RUNNING --> COMPLETED : done
    RUNNING --> RETRYING : failure, timeout, lease_lost, release
    RUNNING --> FAILED : permanent
    RUNNING --> DEAD_LETTER : exhausted, lifetime
    RETRYING --> SCHEDULED : backoff
    PENDING --> CANCELLED : cancel, dependency
    DELAYED --> CANCELLED : cancel
    SCHEDULED --> CANCELLED : cancel
    RUNNING --> CANCELLED : cancel
    RETRYING --> CANCELLED : cancel
    PENDING --> DEAD_LETTER : lifetime, dependency
    DELAYED --> DEAD_LETTER : lifetime
    SCHEDULED --> DEAD_LETTER : lifetime
    RETRYING --> DEAD_LETTER : lifetime
    PENDING --> FAILED : dependency
    COMPLETED --> [*]
    FAILED --> [*]
    DEAD_LETTER --> [*]
    CANCELLED --> [*]
```
)");
}

TEST(Diagrams, OfDocumentWrittenByHand) {
  EXPECT_EQ(diagram_of("document"), R"(```mermaid
stateDiagram-v2
    [*] --> CREATED : create
    CREATED --> QUEUED : submit
    QUEUED --> RUNNING : claim
    RUNNING --> SUCCEEDED : done
    RUNNING --> RETRYING : failure, timeout, lease_lost, release
    RUNNING --> FAILED : permanent, exhausted, cancel, lifetime
    RETRYING --> QUEUED : backoff
    CREATED --> FAILED : cancel, lifetime
    QUEUED --> FAILED : cancel, lifetime, dependency
    RETRYING --> FAILED : cancel, lifetime
    SUCCEEDED --> [*]
    FAILED --> [*]
```
)");
}

TEST(Diagrams, OfCommitWrittenByHand) {
  EXPECT_EQ(diagram_of("commit"), R"(```mermaid
stateDiagram-v2
    [*] --> PENDING : create
    PENDING --> RUNNING : claim
    RUNNING --> SUCCEEDED : done
    RUNNING --> PENDING : failure, timeout, lease_lost, release
    RUNNING --> FAILED : permanent, exhausted, cancel, lifetime
    PENDING --> FAILED : cancel, lifetime, dependency
    SUCCEEDED --> [*]
    FAILED --> [*]
```
)");
}

TEST(Diagrams, OfGenerationWrittenByHand) {
  EXPECT_EQ(diagram_of("generation"), R"(```mermaid
stateDiagram-v2
    [*] --> queued : create
    queued --> running : claim
    running --> completed : done
    running --> failed : failure, timeout, lease_lost, release
    failed --> queued : backoff
    failed --> dead_letter : exhausted, permanent, lifetime
    running --> rejected : reject
    queued --> rejected : reject
    queued --> cancelled : cancel, dependency
    running --> cancelled : cancel
    failed --> cancelled : cancel
    queued --> dead_letter : lifetime, dependency
    running --> dead_letter : lifetime
    completed --> [*]
    dead_letter --> [*]
    rejected --> [*]
    cancelled --> [*]
```
)");
}

TEST(Diagrams, OfLeaseWrittenByHand) {
  EXPECT_EQ(diagram_of("lease"), R"(```mermaid
stateDiagram-v2
    [*] --> Ready : create
    Ready --> InFlight : claim
    InFlight --> Succeeded : done
    InFlight --> Ready : failure, timeout, lease_lost, release
    InFlight --> Failed : permanent, exhausted, cancel, lifetime
    Ready --> Failed : cancel, lifetime, dependency
    Succeeded --> [*]
    Failed --> [*]
```
)");
}

TEST(Diagrams, OfExecutionsWrittenByHand) {
  std::string out;
  append_execution_diagram(out);
  EXPECT_EQ(out, R"(```mermaid
stateDiagram-v2
    [*] --> LEASED : claim
    LEASED --> IN_PROGRESS : start, ack
    IN_PROGRESS --> COMMITTED : commit, ack
    COMMITTED --> DONE : done, ack, lease end
    LEASED --> ABORTED : nack, reject, cancelled, release, lease end, deadline, lifetime, forced cancel
    IN_PROGRESS --> ABORTED : nack, reject, cancelled, release, lease end, deadline, lifetime, forced cancel
    DONE --> [*]
    ABORTED --> [*]
```
)");
}

TEST(Diagrams, CanonicalOneDrawsEveryRow) {
  std::string out;
  append_canonical_diagram(out);
  for (const Transition& row : transitions()) {
    const std::string from = row.from == JobState::kNone ? "[*]" : std::string(name(row.from));
    const std::string arrow = "    " + from + " --> " + std::string(name(row.to)) + " : ";
    const auto begin = out.find(arrow);
    ASSERT_NE(begin, std::string::npos) << arrow;
    const std::string line = out.substr(begin, out.find('\n', begin) - begin);
    EXPECT_NE(line.find(name(row.trigger)), std::string::npos) << line;
  }
  EXPECT_TRUE(out.ends_with(R"(
    COMPLETED --> [*]
    FAILED --> [*]
    DEAD_LETTER --> [*]
    REJECTED --> [*]
    CANCELLED --> [*]
```
)"));
}

TEST(Diagrams, PageHasOneSectionForEachDiagram) {
  std::string out = "before\n";
  describe_diagrams(out);
  EXPECT_EQ(out.find("before\n# State diagrams\n"), 0u);
  std::vector<std::string> parts;
  std::string executions =
      "## Executions\n\n"
      "Each claim of a job is one execution. `ack` takes all the steps that are left at once.\n\n";
  append_execution_diagram(executions);
  parts.push_back(executions);
  for (const Profile* profile : all_profiles()) {
    std::string part = "\n## Jobs in profile `" + std::string(profile->name) + "`\n\n" +
                       std::string(profile->summary) + "\n\n";
    append_profile_diagram(part, *profile);
    parts.push_back(part);
  }
  std::string canonical = "\n## Jobs in canonical states\n\nAll profiles together.\n\n";
  append_canonical_diagram(canonical);
  parts.push_back(canonical);
  std::size_t at = 0;
  for (const std::string& part : parts) {
    const std::size_t next = out.find(part);
    ASSERT_NE(next, std::string::npos) << part;
    EXPECT_LT(at, next);
    at = next;
  }
}

}  // namespace
}  // namespace baton::lifecycle
