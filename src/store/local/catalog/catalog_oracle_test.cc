// The catalog against Rows: whatever turns a Machine makes, in whatever portions they are applied
// and however often the catalog is opened again, it gives what the rows in memory give.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "store/list_page.h"
#include "store/local/catalog/catalog_testing.h"
#include "store/local/catalog/random_history.h"
#include "store/local/codec/arbitrary_rows.h"
#include "store/local/machine/rows.h"

namespace baton::store::local {
namespace {

using testbed::RandomHistory;
using testbed::same;
using testbed::SharedTurns;

// The catalog as a Machine looks at it.
class ReaderArchive final : public Archive {
 public:
  explicit ReaderArchive(CatalogReader& reader) : reader_(reader) {}

  Result<std::optional<ArchivedJob>> facts(const JobId& id) const override {
    auto found = reader_.facts(id).value();
    return found ? std::optional(std::move(found->job)) : std::nullopt;
  }
  Result<std::vector<JobId>> children(const JobId& id) const override {
    auto found = reader_.children(id).value();
    return found ? std::move(found->ids) : std::vector<JobId>();
  }
  Result<std::optional<LeaseToken>> token(const JobId& id, int attempt) const override {
    return reader_.token(id, attempt);
  }
  Result<std::shared_ptr<const JobRecord>> record(const JobId& id) const override {
    auto found = reader_.find(id).value();
    if (!found) return std::shared_ptr<const JobRecord>();
    return std::make_shared<const JobRecord>(std::move(found->job.record));
  }
  Result<std::vector<Standing>> standings(const Standing& after, std::size_t limit) const override {
    return reader_.standings(after, limit);
  }
  Result<std::vector<EndedJob>> ended(const Standing& standing, const EndedJob& after, Time until,
                                      std::size_t limit) const override {
    return reader_.ended(standing, after, until, limit);
  }
  Result<std::optional<StoredAccount>> account(const std::string& id) const override {
    return reader_.account(id);
  }
  bool is_told(const std::string&) const override { return true; }
  Result<bool> has_grant(const std::string& account, const std::string& key) const override {
    return reader_.has_grant(account, key);
  }
  Reads reads() const override { return reader_.reads(); }

 private:
  CatalogReader& reader_;
};

// A catalog, and the same turns in Rows.
class Pair {
 public:
  explicit Pair(std::uint64_t seed) : random_(seed), history_(seed) { open(); }

  // Some turns, applied in one portion.
  void step() {
    SharedTurns turns;
    for (std::uint64_t left = random_.below(12) + 1; left > 0; --left)
      turns.push_back(history_.turn());
    const auto applied = catalog_->apply(as_logged(turns));
    ASSERT_TRUE(applied.ok()) << applied.error().message;
    for (const auto& turn : turns) {
      rows_.apply(turn->changes);
      for (const RowChange& change : turn->changes)
        note(turn->turn, change);
    }
    EXPECT_EQ(catalog_->applied_turn(), turns.back()->turn);
    EXPECT_EQ(catalog_->applied_time(), turns.back()->at);
  }

  void open() {
    reader_.reset();
    catalog_.reset();
    terms_ = std::make_unique<TermsTable>();
    catalog_ = testbed::open_catalog(options_, *terms_);
    reader_ = testbed::open_reader(options_, *terms_);
  }

  void compare_all() {
    compare_jobs();
    compare_lists();
    compare_finished();
    compare_ledgers();
    compare_load();
    testbed::expect_sound(*catalog_);
  }

  void compare_jobs();
  void compare_parts(const JobRecord& record);
  void compare_lists();
  void compare_finished();
  void compare_ledgers();
  void compare_load();
  ListJobs some_filter();

 private:
  void note(std::uint64_t turn, const RowChange& change) {
    if (const auto* job = std::get_if<JobChange>(&change)) {
      last_turn_[job->id] = turn;
      if (job->made) last_number_ = std::max(last_number_, job->number);
      if (const JobId parent = spawned_by(*job); !parent.is_nil()) last_turn_[parent] = turn;
    } else if (const auto* gone = std::get_if<JobGone>(&change)) {
      gone_.push_back(gone->id);
    } else if (const auto* over = std::get_if<WaitOver>(&change)) {
      last_turn_[over->job] = turn;
    } else if (const auto* account = std::get_if<AccountChange>(&change)) {
      if (!account->grant_key.empty())
        grants_.emplace_back(account->account.id, account->grant_key);
    }
  }
  // Some of the turns as a log gives them back.
  SharedTurns as_logged(SharedTurns turns) {
    for (auto& turn : turns) {
      if (random_.below(2) == 0) continue;
      base::AlignedBuffer buffer;
      encode_turn(turn->at, turn->changes, buffer);
      auto decoded = decode_turn(turn->turn, buffer.bytes(), *terms_);
      EXPECT_TRUE(decoded.ok());
      turn = std::make_shared<const TurnChanges>(std::move(*decoded));
    }
    return turns;
  }
  void compare_list(const ListJobs& filter);
  std::string name(const char* prefix, std::uint64_t count) {
    return prefix + std::to_string(random_.below(count));
  }

  testbed::TestDirectory directory_;
  CatalogOptions options_ = testbed::options_for(directory_.file("catalog.db"));
  base::Random random_;
  RandomHistory history_;
  std::unique_ptr<TermsTable> terms_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<CatalogReader> reader_;
  Rows rows_;
  std::map<JobId, std::uint64_t> last_turn_;
  std::vector<JobId> gone_;
  std::int64_t last_number_ = 0;
  std::vector<std::pair<std::string, std::string>> grants_;  // account and key
};

// What decisions ask for is the same as in the whole.
void Pair::compare_parts(const JobRecord& record) {
  const StoredJob& stored = rows_.stored(record.id);
  const auto facts = reader_->facts(record.id).value();
  ASSERT_TRUE(facts.has_value());
  EXPECT_EQ(facts->job.id, record.id);
  EXPECT_EQ(facts->job.number, record.number);
  EXPECT_TRUE(same(facts->job.facts, record.facts));
  EXPECT_EQ(facts->job.queue, record.spec->queue);
  EXPECT_EQ(facts->job.key, stored.key);
  EXPECT_EQ(facts->turn, last_turn_[record.id]);
  EXPECT_EQ(reader_->children(record.id).value()->ids, record.children);
  for (int attempt = 0; attempt <= std::ssize(record.executions) + 1; ++attempt)
    EXPECT_EQ(reader_->token(record.id, attempt).value(), rows_.token(record.id, attempt).value());
}

void Pair::compare_jobs() {
  EXPECT_EQ(catalog_->last_number(), last_number_);
  for (const auto& [number, record] : rows_.jobs()) {
    const auto found = reader_->find(record->id);
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_TRUE(found->has_value()) << number;
    EXPECT_TRUE(same((*found)->job, rows_.stored(record->id))) << number;
    EXPECT_EQ((*found)->turn, last_turn_[record->id]) << number;
    compare_parts(*record);
  }
  for (const JobId& id : gone_) {
    const auto found = reader_->find(id);
    ASSERT_TRUE(found.ok()) << found.error().message;
    EXPECT_FALSE(found->has_value());
  }
}

ListJobs Pair::some_filter() {
  ListJobs filter;
  const auto maybe = [this] { return random_.below(4) == 0; };
  const auto profiles = lifecycle::all_profiles();
  const lifecycle::Profile& profile = *profiles[random_.below(profiles.size())];
  const auto state = static_cast<JobState>(random_.below(lifecycle::kJobStateCount));
  if (maybe()) filter.queue = name("q", 8);
  if (maybe()) filter.state = profile.word(state);
  if (maybe()) filter.canonical_state = state;
  if (maybe()) filter.type = name("t", 5);
  if (maybe()) filter.tag = std::pair(std::string("team"), name("x", 4));
  if (maybe()) filter.correlation_id = random_.below(5) == 0 ? std::string() : name("c", 6);
  if (maybe()) filter.account = random_.below(5) == 0 ? std::string() : name("a", 5);
  const auto span = static_cast<std::uint64_t>(history_.now().ms - 1'700'000'000'000);
  const auto moment = [&] {
    return Time{1'700'000'000'000 + static_cast<std::int64_t>(random_.below(span + 10))};
  };
  if (maybe()) filter.created_after = moment();
  if (maybe()) filter.created_before = moment();
  if (maybe()) {
    filter.before_number =
        static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(last_number_) + 3));
  }
  filter.limit = 1 + random_.below(20);
  filter.with = kAllParts;
  return filter;
}

void Pair::compare_list(const ListJobs& filter) {
  const JobList expected = rows_.list(filter);
  const auto list = reader_->list(filter);
  ASSERT_TRUE(list.ok()) << list.error().message;
  ASSERT_EQ(list->jobs.size(), expected.jobs.size());
  EXPECT_EQ(list->next_before_number, expected.next_before_number);
  for (std::size_t i = 0; i < list->jobs.size(); ++i)
    EXPECT_TRUE(same(*list->jobs[i], *listed(*expected.jobs[i], filter.with)))
        << expected.jobs[i]->number;
}

void Pair::compare_lists() {
  ListJobs all;
  all.with = kAllParts;
  compare_list(all);
  for (int i = 0; i < 60; ++i)
    compare_list(some_filter());
}

// Every ended job up to some time, page by page.
std::vector<EndedJob> walk_ended(const Archive& archive, Time until, std::size_t page) {
  std::vector<EndedJob> walked;
  for (Standing standing;;) {
    const auto next = archive.standings(standing, 1).value();
    if (next.empty()) break;
    standing = next.front();
    for (EndedJob after;;) {
      const auto jobs = archive.ended(standing, after, until, page).value();
      EXPECT_LE(jobs.size(), page);
      walked.insert(walked.end(), jobs.begin(), jobs.end());
      if (jobs.size() < page) break;
      after = jobs.back();
    }
  }
  std::sort(walked.begin(), walked.end(),
            [](const EndedJob& a, const EndedJob& b) { return a.number < b.number; });
  return walked;
}

void Pair::compare_finished() {
  const ReaderArchive archive(*reader_);
  const Time until{history_.now().ms - static_cast<std::int64_t>(random_.below(30'000))};
  const std::size_t page = 1 + random_.below(10);
  const auto expected = walk_ended(rows_, until, 1000);
  const auto found = walk_ended(archive, until, page);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].id, expected[i].id);
    EXPECT_EQ(found[i].completed_at, expected[i].completed_at);
    EXPECT_EQ(found[i].key, expected[i].key);
  }
}

void Pair::compare_ledgers() {
  for (const char* account : {"a0", "a1", "a2", "a3", "nobody"}) {
    const auto entries = reader_->entries({account, 0, SIZE_MAX});
    ASSERT_TRUE(entries.ok()) << entries.error().message;
    EXPECT_EQ(*entries, rows_.entries(account));
    EXPECT_EQ(reader_->account(account).value(), rows_.account(account).value());
  }
  for (const auto& [account, key] : grants_) {
    EXPECT_TRUE(reader_->has_grant(account, key).value());
    EXPECT_FALSE(reader_->has_grant(account, key + "x").value());
    EXPECT_FALSE(reader_->has_grant("nobody", key).value());
  }
  const auto log = reader_->audit_log();
  ASSERT_TRUE(log.ok()) << log.error().message;
  ASSERT_EQ(log->size(), rows_.audit_log().size());
  for (std::size_t i = 0; i < log->size(); ++i)
    EXPECT_TRUE(same(RowChange((*log)[i]), RowChange(rows_.audit_log()[i])));
}

void compare_live(const LiveJob& job, const StoredJob& stored) {
  const JobRecord& record = stored.record;
  EXPECT_EQ(job.number, record.number);
  EXPECT_EQ(job.id, record.id);
  EXPECT_EQ(job.queue, record.spec->queue);
  EXPECT_EQ(job.type, record.spec->type);
  EXPECT_EQ(job.account, record.spec->account);
  EXPECT_TRUE(same(job.facts, record.facts));
  EXPECT_EQ(job.ready, stored.ready);
  EXPECT_EQ(job.key, stored.key);
  EXPECT_EQ(job.waits == nullptr ? Waits{} : *job.waits, stored.waits);
  EXPECT_EQ(job.staged == nullptr ? 0 : job.staged->size(), record.staged.size());
  EXPECT_EQ(job.children == nullptr ? std::vector<JobId>{} : *job.children, record.children);
}

// Everything that `load` gives, and a Machine that takes it up.
void Pair::compare_load() {
  const Time now = history_.now();
  std::map<std::string, std::vector<std::int64_t>> counts;
  std::map<std::int64_t, const JobRecord*> live;
  for (const auto& [number, record] : rows_.jobs()) {
    auto& of_queue = counts[record->spec->queue];
    of_queue.resize(lifecycle::kJobStateCount);
    ++of_queue[static_cast<std::size_t>(record->facts.state)];
    if (!is_terminal(record->facts.state)) live[number] = record.get();
  }
  const ReaderArchive archive(*reader_);
  Machine machine(archive);
  machine.begin_loading(now, catalog_->last_number());
  std::size_t queues = 0;
  std::set<std::string> accounts;
  std::set<std::string> needed;
  std::int64_t last_key = 0;
  CatalogVisitor visitor;
  visitor.queue = [&](StoredQueue queue) {
    ++queues;
    EXPECT_EQ(queue.settings, rows_.queues().at(queue.name));
    counts[queue.name].resize(lifecycle::kJobStateCount);
    EXPECT_EQ(queue.counts, counts[queue.name]);
    machine.load(queue);
  };
  visitor.account = [&](StoredAccount account) {
    EXPECT_TRUE(accounts.insert(account.account.id).second);
    EXPECT_EQ(account, rows_.account(account.account.id).value());
    machine.load(account);
  };
  visitor.job = [&](const LiveJob& job) {
    ASSERT_FALSE(live.empty());
    EXPECT_EQ(job.number, live.begin()->first);
    if (needs_account(job.facts)) needed.emplace(job.account);
    EXPECT_EQ(accounts, needed) << "each before the first job that needs it, and no other";
    compare_live(job, rows_.stored(live.begin()->second->id));
    live.erase(live.begin());
    machine.load(job);
  };
  visitor.key = [&](const StoredKey& key) {
    const StoredJob& holder = rows_.stored(key.job);
    EXPECT_GT(holder.record.number, last_key);
    last_key = holder.record.number;
    ASSERT_TRUE(holder.key.has_value());
    EXPECT_EQ(key.key, holder.key->key);
    EXPECT_EQ(key.expires_at, holder.key->expires_at);
    EXPECT_EQ(key.created_at, holder.record.facts.created_at);
    EXPECT_GT(key.expires_at, now);
    machine.load(key);
  };
  const auto loaded = catalog_->load(now, visitor);
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(queues, rows_.queues().size());
  EXPECT_TRUE(live.empty());
  machine.finish_loading();
  for (const std::string& fault : machine.audit())
    ADD_FAILURE() << fault;
}

// What is compared is only as good as what happens: all of this must.
TEST(CatalogOracle, TheHistoriesHaveEverything) {
  std::map<std::string, int> seen;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    RandomHistory history(seed);
    Rows rows;
    for (int i = 0; i < 160; ++i) {
      const auto turn = history.turn();
      rows.apply(turn->changes);
      for (const RowChange& change : turn->changes) {
        ++seen["change " + std::to_string(change.index())];
        const auto* job = std::get_if<JobChange>(&change);
        if (job == nullptr || !rows.find(job->id)) continue;  // it went in the same turn
        const StoredJob& stored = rows.stored(job->id);
        const JobRecord& record = stored.record;
        ++seen[std::string(name(record.facts.state))];
        seen["children"] += static_cast<int>(record.children.size());
        seen["staged"] += static_cast<int>(record.staged.size());
        seen["waits"] += static_cast<int>(stored.waits.open.size());
        seen["keys"] += stored.key.has_value() ? 1 : 0;
        seen["redriven"] += record.redriven_from.is_nil() ? 0 : 1;
        seen["failures"] += record.last_failure.has_value() ? 1 : 0;
        seen["retries"] += record.executions.size() > 1 ? 1 : 0;
        seen["results"] += record.result.has_value() ? 1 : 0;
        seen["other tags"] += record.labels.tags != record.spec->tags ? 1 : 0;
      }
    }
  }
  for (std::size_t kind = 0; kind < std::variant_size_v<RowChange>; ++kind)
    EXPECT_GT(seen["change " + std::to_string(kind)], 3) << kind;
  for (std::size_t i = 1; i < lifecycle::kJobStateCount; ++i) {
    const std::string state(name(static_cast<JobState>(i)));
    EXPECT_GT(seen[state], 3) << state;
  }
  for (const char* what : {"children", "staged", "waits", "keys", "redriven", "failures", "retries",
                           "results", "other tags"}) {
    EXPECT_GT(seen[what], 3) << what;
  }
}

TEST(CatalogOracle, GivesWhatTheRowsGive) {
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(seed);
    Pair pair(seed);
    base::Random random(seed);
    for (int step = 0; step < 25 && !testing::Test::HasFailure(); ++step) {
      pair.step();
      if (random.below(5) == 0) pair.open();
      if (random.below(5) == 0) pair.compare_all();
    }
    pair.compare_all();
  }
}

}  // namespace
}  // namespace baton::store::local
