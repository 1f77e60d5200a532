// Lists, statistics and ledgers in pages: what one answer may cost, and that pages together are the
// whole.
#include <algorithm>
#include <functional>

#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using Ids = std::vector<JobId>;

}  // namespace

ListPages::Joined ListPages::join(ListJobs filter) {
  Joined joined;
  do {
    const auto page = try_list(filter);
    EXPECT_EQ(code_of(page), "ok");
    if (!page.ok()) break;
    EXPECT_LE(page->jobs.size(), filter.limit);
    EXPECT_LE(page->examined, filter.budget.rows);
    EXPECT_TRUE(page->bytes <= filter.budget.bytes || page->jobs.size() == 1);
    for (const auto& job : page->jobs)
      joined.ids.push_back(job->id);
    ++joined.pages;
    joined.most_examined = std::max(joined.most_examined, page->examined);
    if (page->next_before_number != 0 && filter.before_number != 0) {
      EXPECT_LT(page->next_before_number, filter.before_number) << "every page goes on";
    }
    filter.before_number = page->next_before_number;
  } while (filter.before_number != 0 && joined.pages < 1000);
  return joined;
}

void ListPages::make_many() {
  for (int i = 0; i < 60; ++i) {
    Spec spec("t" + std::to_string(i % 3));
    spec.queue("q" + std::to_string(i % 7));
    if (i % 5 == 0) spec.tag("fifth", "yes");
    if (i % 4 == 0) spec.correlation("c");
    if (i % 11 == 0) spec.account("ann");
    make(spec);
    pass(seconds(1));
  }
  for (const ClaimedJob& one : claim({.queues = {"q0", "q1", "q2"}, .max = 12}))
    ASSERT_EQ(code_of(ack(one)), "ok");
}

namespace {

TEST_P(ListPages, WithAnyBudgetAreTheWholeInOrder) {
  make_many();
  const std::vector<std::function<void(ListJobs&)>> filters = {
      [](ListJobs&) {},
      [](ListJobs& f) { f.queue = "q3"; },
      [](ListJobs& f) { f.type = "t1"; },
      [](ListJobs& f) { f.canonical_state = JobState::kCompleted; },
      [](ListJobs& f) { f.state = "SCHEDULED"; },
      [](ListJobs& f) { f.tag.emplace("fifth", "yes"); },
      [](ListJobs& f) { f.correlation_id = "c"; },
      [](ListJobs& f) { f.correlation_id = ""; },
      [](ListJobs& f) { f.account = "ann"; },
      [](ListJobs& f) { f.account = ""; },
      [](ListJobs& f) { f.queue = "nobody"; },
      [](ListJobs& f) {
        f.tag.emplace("fifth", "yes");
        f.type = "t1";
      },
      [&](ListJobs& f) { f.created_after = now() + seconds(-30); },
      [&](ListJobs& f) { f.created_before = now() + seconds(-30); }};
  for (std::size_t i = 0; i < filters.size(); ++i) {
    ListJobs filter;
    filter.limit = 1000;
    filters[i](filter);
    const Ids whole = list_ids(filter);
    for (const std::size_t rows : {1u, 3u, 7u, 200u, 2000u}) {
      for (const std::size_t limit : {1u, 4u, 1000u}) {
        filter.budget.rows = rows;
        filter.limit = limit;
        EXPECT_EQ(join(filter).ids, whole) << "filter " << i << ", rows " << rows;
      }
    }
  }
}

TEST_P(ListPages, ANeedleInAHaystackTakesPagesWithNothing) {
  make(Spec("needle"));
  make_all(times(40, Spec("hay").queue("other")));
  ListJobs filter;
  filter.correlation_id = "";
  filter.type = "needle";
  filter.budget.rows = 10;
  const Joined joined = join(filter);
  EXPECT_EQ(joined.ids.size(), 1u);
  EXPECT_LE(joined.most_examined, 10u);
  filter.account = "nobody has it";
  EXPECT_TRUE(join(filter).ids.empty());
}

TEST_P(ListPages, StopAtTheirBytesButShowOneJobInAnyCase) {
  std::vector<Spec> specs;
  specs.reserve(6);
  for (int i = 0; i < 6; ++i)
    specs.push_back(Spec().payload("\"" + std::string(10'000, 'x') + "\""));
  const Ids ids = make_all(specs);
  ListJobs filter;
  filter.with.payload = true;
  filter.budget.bytes = 25'000;
  const auto page = try_list(filter);
  ASSERT_EQ(code_of(page), "ok");
  EXPECT_EQ(page->jobs.size(), 2u);
  EXPECT_NE(page->next_before_number, 0);
  EXPECT_EQ(join(filter).ids, Ids(ids.rbegin(), ids.rend()));
  filter.budget.bytes = 1;
  EXPECT_EQ(join(filter).pages, 6);
  filter.with = {};
  filter.budget.bytes = 25'000;
  EXPECT_EQ(join(filter).pages, 1) << "what is not asked for does not count";
}

TEST_P(ListPages, HaveTheLargePartsThatWereAskedFor) {
  const ClaimedJob claimed = running(Spec().payload("{\"p\":1}"));
  WorkCall heartbeat = call_of(CallKind::kHeartbeat, claimed);
  std::get<HeartbeatCall>(heartbeat.call).checkpoint = "{\"c\":1}";
  ASSERT_EQ(code_of(work(heartbeat)), "ok");
  ASSERT_EQ(code_of(ack(claimed, "{\"r\":1}")), "ok");
  ListJobs filter;
  filter.with = kAllParts;
  const auto whole = try_list(filter)->jobs.front();
  EXPECT_EQ(whole->spec->payload, "{\"p\":1}");
  EXPECT_EQ(whole->result->bytes, "{\"r\":1}");
  EXPECT_EQ(whole->checkpoint, get(claimed.job)->checkpoint);
  filter.with = {};
  const auto plain = try_list(filter)->jobs.front();
  EXPECT_FALSE(plain->result.has_value());
  EXPECT_TRUE(plain->checkpoint.empty());
}

// ---- Statistics and ledgers -------------------------------------------------------------------

TEST_P(Queries, StatisticsComeInPagesByName) {
  std::vector<std::string> names;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    make(Spec().queue(name));
    names.emplace_back(name);
  }
  std::vector<std::string> seen;
  StatsPage page;
  page.limit = 2;
  bool more = true;
  while (more) {
    const auto stats = try_stats(page);
    ASSERT_EQ(code_of(stats), "ok");
    EXPECT_LE(stats->queues.size(), 2u);
    EXPECT_EQ(stats->live_jobs, 5);
    EXPECT_EQ(stats->counts[static_cast<std::size_t>(JobState::kScheduled)], 5) << "of all queues";
    for (const Queue& queue : stats->queues)
      seen.push_back(queue.name);
    more = stats->more;
    if (more) page.after = stats->queues.back().name;
  }
  EXPECT_EQ(seen, names);
  page.limit = 0;
  EXPECT_TRUE(try_stats(page)->queues.empty());
  page.limit = 1001;
  EXPECT_EQ(code_of(try_stats(page)), "bad_request");
}

TEST_P(Queries, TotalsFollowEveryChange) {
  const JobId first = make(Spec().queue("one"));
  completed(Spec("done").queue("two"));
  ASSERT_EQ(code_of(cancel(first)), "ok");
  ASSERT_EQ(code_of(remove(first)), "ok");
  const Stats seen = stats();
  std::vector<std::int64_t> sums(seen.counts.size());
  for (const Queue& queue : seen.queues) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += queue.counts[i];
  }
  EXPECT_EQ(seen.counts, sums);
  EXPECT_EQ(seen.counts[static_cast<std::size_t>(JobState::kCompleted)], 1);
}

TEST_P(Queries, ALedgerComesInPages) {
  for (int i = 0; i < 5; ++i)
    give("ann", 1);
  std::vector<std::int64_t> seqs;
  EntriesPage page{"ann", 0, 2};
  while (true) {
    const auto entries = try_entries(page);
    ASSERT_EQ(code_of(entries), "ok");
    ASSERT_LE(entries->size(), 2u);
    for (const LedgerEntry& entry : *entries)
      seqs.push_back(entry.seq);
    if (entries->size() < page.limit) break;
    page.after = entries->back().seq;
  }
  EXPECT_EQ(seqs, (std::vector<std::int64_t>{1, 2, 3, 4, 5}));
  for (const std::size_t limit : {0u, 1001u})
    EXPECT_EQ(code_of(try_entries({"ann", 0, limit})), "bad_request");
}

}  // namespace
}  // namespace baton::store::conformance
