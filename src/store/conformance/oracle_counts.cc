// Counters and ledgers against a recount.
#include <gtest/gtest.h>

#include <map>
#include <unordered_map>

#include "store/conformance/oracle.h"

namespace baton::store::conformance {
namespace {

using Counts = std::vector<std::int64_t>;

std::string text_of(const Counts& counts) {
  std::string text;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += std::string(name(static_cast<JobState>(i))) + "=" + std::to_string(counts[i]) + " ";
  }
  return text;
}

// What the postings of one job add up to.
struct Held {
  Amount reserved = 0;
  Amount settled = 0;
  int reservations = 0;
  int settlements = 0;
};

void check_posting(const Balance& before, const LedgerEntry& entry) {
  const auto after = lifecycle::post(before, entry.kind, entry.amount);
  ASSERT_TRUE(after.ok()) << "a posting that cannot be: " << after.error().message;
  EXPECT_TRUE(after.value() == entry.after) << "an entry shows the balance after it";
  EXPECT_TRUE(lifecycle::balances(entry.after)) << "granted = available + reserved + captured";
  EXPECT_EQ(entry.job.is_nil(), entry.kind == PostingKind::kGrant) << "a job stands behind it";
}

std::unordered_map<JobId, Held> held_by_job(const std::vector<LedgerEntry>& entries) {
  std::unordered_map<JobId, Held> jobs;
  for (const LedgerEntry& entry : entries) {
    if (entry.kind == PostingKind::kGrant) continue;
    Held& held = jobs[entry.job];
    const bool reserves = entry.kind == PostingKind::kReserve;
    (reserves ? held.reserved : held.settled) += entry.amount;
    ++(reserves ? held.reservations : held.settlements);
  }
  return jobs;
}

void check_ledger(const Snapshot& snapshot, const AccountSnapshot& seen) {
  Balance balance;
  std::int64_t seq = 0;
  for (const LedgerEntry& entry : seen.entries) {
    EXPECT_EQ(entry.seq, ++seq) << "entries are numbered";
    check_posting(balance, entry);
    balance = entry.after;
  }
  EXPECT_TRUE(balance == seen.account.balance) << "the account is what its entries say";
  auto jobs = held_by_job(seen.entries);
  std::int64_t active = 0;
  for (const auto& record : snapshot.jobs) {
    if (record->spec->account != seen.account.id) continue;
    if (record->facts.has_account && !is_terminal(record->facts.state)) ++active;
    const Held held = jobs[record->id];
    EXPECT_LE(held.reservations, 1) << "a job reserves once: " << describe(*record);
    EXPECT_LE(held.settlements, 1) << "and captures or releases once: " << describe(*record);
    EXPECT_EQ(held.reserved - held.settled, record->facts.held) << describe(*record);
    jobs.erase(record->id);
  }
  for (const auto& [id, held] : jobs) {
    EXPECT_EQ(held.reserved, held.settled) << "a deleted job has left nothing reserved";
  }
  EXPECT_EQ(active, seen.account.active_jobs) << "active jobs equal a recount";
}

}  // namespace

void check_counters(const Snapshot& snapshot) {
  std::map<std::string, Counts> recount;
  std::int64_t live = 0;
  for (const auto& record : snapshot.jobs) {
    Counts& counts = recount[record->spec->queue];
    counts.resize(lifecycle::kJobStateCount);
    ++counts[static_cast<std::size_t>(record->facts.state)];
    if (!is_terminal(record->facts.state)) ++live;
  }
  EXPECT_EQ(snapshot.stats.live_jobs, live) << "live jobs equal a recount";
  std::string previous;
  for (const Queue& queue : snapshot.stats.queues) {
    EXPECT_LT(previous, queue.name) << "queues are listed by name, each once";
    previous = queue.name;
    Counts expected = recount[queue.name];
    expected.resize(lifecycle::kJobStateCount);
    EXPECT_EQ(text_of(queue.counts), text_of(expected)) << "counters of queue " << queue.name;
    EXPECT_EQ(queue.counts.size(), lifecycle::kJobStateCount);
    recount.erase(queue.name);
  }
  for (const auto& [name, counts] : recount)
    ADD_FAILURE() << "queue " << name << " is missing from the statistics: " << text_of(counts);
}

void check_ledgers(const Snapshot& snapshot) {
  for (const auto& [id, seen] : snapshot.accounts) {
    SCOPED_TRACE("account " + id);
    EXPECT_EQ(seen.account.id, id);
    EXPECT_TRUE(lifecycle::balances(seen.account.balance));
    check_ledger(snapshot, seen);
  }
}

}  // namespace baton::store::conformance
