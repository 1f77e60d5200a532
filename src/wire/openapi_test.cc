// The tables and spec/openapi.yaml have the same members. spec/openapi.json is the same document;
// a check of the generated files sees to that.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "wire/shapes.h"

namespace baton::wire {
namespace {

using Names = std::vector<std::string>;

std::string document() {
  std::ifstream file("spec/openapi.json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The value at the end of a path of names; empty when there is none.
std::string value_at(std::string text, std::initializer_list<std::string_view> path) {
  for (const std::string_view wanted : path) {
    std::string found;
    json::Reader reader(text);
    reader.members([&](std::string_view name) {
      if (name == wanted) found = reader.raw();
    });
    text = std::move(found);
  }
  return text;
}

Names sorted(Names names) {
  std::sort(names.begin(), names.end());
  return names;
}

// The names of an object's members.
Names names_in(const std::string& text) {
  Names names;
  json::Reader reader(text);
  reader.members([&](std::string_view name) { names.emplace_back(name); });
  return sorted(names);
}

template <class T>
Names names_of(std::span<const Row<T>> rows = table_of<T>().rows) {
  Names names;
  for (const Row<T>& row : rows)
    names.emplace_back(row.name);
  return sorted(names);
}

Names schema(std::string_view name) {
  return names_in(value_at(document(), {"components", "schemas", name, "properties"}));
}

Names body(std::string_view path, std::string_view method = "post") {
  return names_in(value_at(document(), {"paths", path, method, "requestBody", "content",
                                        "application/json", "schema", "properties"}));
}

Names shared_body(std::string_view name) {
  return names_in(value_at(document(), {"components", "requestBodies", name, "content",
                                        "application/json", "schema", "properties"}));
}

TEST(OpenApi, HasTheMembersOfJobs) {
  EXPECT_EQ(schema("Retry"), names_of<Retry>());
  EXPECT_EQ(schema("RetryInput"), names_of<Retry>());
  EXPECT_EQ(schema("Timeouts"), names_of<Timeouts>());
  EXPECT_EQ(schema("TimeoutsInput"), names_of<Timeouts>());
  EXPECT_EQ(schema("Dependency"), names_of<Dependency>());
  EXPECT_EQ(schema("Unique"), names_of<Unique>());
  EXPECT_EQ(schema("UniqueInput"), names_of<Unique>());
  EXPECT_EQ(schema("Submission"), names_of<Submission>());
  EXPECT_EQ(schema("Job"), names_of<Job>());
  EXPECT_EQ(schema("Made"), names_of<Submitted>());
  EXPECT_EQ(schema("HistoryEntry"), names_of<HistoryEntry>());
  EXPECT_EQ(schema("Failure"), names_of<Failure>());
  EXPECT_EQ(schema("Execution"), names_of<Execution>());
  EXPECT_EQ(schema("Explanation"), names_of<Explanation>());
}

TEST(OpenApi, HasTheMembersOfWhatIsDoneToJobs) {
  EXPECT_EQ(body("/v1/jobs/batch"), names_of<Batch>());
  EXPECT_EQ(schema("Filter"), names_of<JobFilter>());
  EXPECT_EQ(body("/v1/jobs/{id}/cancel"), names_of<CancelJob>());
  EXPECT_EQ(body("/v1/jobs/{id}/reject"), names_of<RejectJob>());
  EXPECT_EQ(body("/v1/jobs/{id}", "patch"), names_of<PatchJob>());
}

TEST(OpenApi, HasTheMembersOfWork) {
  EXPECT_EQ(schema("Claim"), names_of<ClaimRequest>());
  EXPECT_EQ(schema("Claimed"), names_of<Claimed>());
  EXPECT_EQ(schema("DependencyResult"), names_of<DependencyResult>());
  EXPECT_EQ(schema("Worker"), names_of<SeenWorker>());
  EXPECT_EQ(schema("HeldExecution"), names_of<HeldExecution>());
  EXPECT_EQ(schema("Op"), names_of<CallBody>());
  EXPECT_EQ(body("/v1/executions/batch"), names_of<Exchange>());
  Names result = names_of<WorkAnswer>();
  result.insert(result.end(), {"ok", "error", "job"});
  EXPECT_EQ(schema("OpResult"), sorted(result));
}

TEST(OpenApi, HasTheMembersOfEachCall) {
  const auto members = [](CallKind kind) {
    const auto names = call_members(kind);
    return sorted(Names(names.begin(), names.end()));
  };
  EXPECT_EQ(body("/v1/executions/{id}/start"), members(CallKind::kStart));
  EXPECT_EQ(body("/v1/executions/{id}/heartbeat"), members(CallKind::kHeartbeat));
  EXPECT_EQ(body("/v1/executions/{id}/nack"), members(CallKind::kNack));
  EXPECT_EQ(body("/v1/executions/{id}/reject"), members(CallKind::kReject));
  EXPECT_EQ(body("/v1/executions/{id}/spawn"), members(CallKind::kSpawn));
  EXPECT_EQ(shared_body("Commit"), members(CallKind::kCommit));
  EXPECT_EQ(shared_body("Commit"), members(CallKind::kAck));
  EXPECT_EQ(shared_body("Token"), members(CallKind::kDone));
  EXPECT_EQ(shared_body("Token"), members(CallKind::kCancelled));
}

TEST(OpenApi, HasTheMembersOfQueuesAndAccounts) {
  EXPECT_EQ(schema("QueueSettings"), names_of<QueueUpdate>());
  EXPECT_EQ(schema("Rate"), names_of<RateLimit>());
  EXPECT_EQ(schema("Queue"), names_of<Queue>());
  EXPECT_EQ(schema("Account"), names_of<Account>());
  EXPECT_EQ(schema("Entry"), names_of<LedgerEntry>());
  EXPECT_EQ(body("/v1/accounts/{id}/grant"), names_of<GrantCredits>());
  // What the server adds to the counts is not in a Stats.
  Names stats = names_of<Stats>();
  stats.insert(stats.end(), {"next_cursor", "rates", "run", "wait"});
  EXPECT_EQ(schema("Stats"), sorted(stats));
}

}  // namespace
}  // namespace baton::wire
