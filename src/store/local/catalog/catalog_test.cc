#include "store/local/catalog/catalog.h"

#include <gtest/gtest.h>

#include "store/local/catalog/catalog_testing.h"
#include "store/local/catalog/connection.h"
#include "store/local/catalog/random_history.h"
#include "store/local/catalog/sql.h"
#include "store/local/codec/arbitrary_rows.h"
#include "store/local/machine/machine.h"
#include "store/local/machine/rows.h"
#include "store/work_call.h"

namespace baton::store::local {
namespace {

using testbed::SharedTurns;

// A Machine whose turns go to a catalog, one by one or several at once.
class CatalogTest : public testing::Test {
 protected:
  Turn turn(std::vector<Command> commands) {
    now_ = now_ + base::milliseconds(10);
    Turn made = machine_.turn(commands, now_, random_);
    rows_.apply(made.changes);
    auto changes = std::make_shared<TurnChanges>();
    changes->turn = ++turn_;
    changes->at = now_;
    changes->changes = std::move(made.changes);
    pending_.push_back(std::move(changes));
    return made;
  }
  JobId submit(Submission job) {
    SubmitBatch batch;
    if (job.type.empty()) job.type = "t";
    batch.jobs.push_back(std::make_shared<const Submission>(std::move(job)));
    const Turn made = turn({batch});
    return std::get<SubmitAnswer>(made.answers.at(0)).results.at(0)->id;
  }
  ClaimedJob claim() {
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "w";
    const Turn made = turn({request});
    return std::get<ClaimAnswer>(made.answers.at(0)).executions.at(0);
  }
  void call(CallKind kind, const ClaimedJob& claimed, std::string result = "") {
    WorkCall call;
    call.call = blank_call(kind);
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    auto* ack = std::get_if<AckCall>(&call.call);
    if (ack != nullptr && !result.empty()) ack->result = Outcome{std::move(result), "text/plain"};
    turn({call});
  }
  void apply() {
    const auto applied = catalog_->apply(pending_);
    ASSERT_TRUE(applied.ok()) << applied.error().message;
    pending_.clear();
  }
  std::optional<CatalogJob> find(const JobId& id) {
    auto found = testbed::open_reader(options_, terms_)->find(id);
    EXPECT_TRUE(found.ok());
    return std::move(*found);
  }
  std::int64_t count(const char* sql) {
    Database database({options_.path, "", false});
    return database.number(sql);
  }
  void expect_as_in_rows(const JobId& id) {
    const auto found = find(id);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(testbed::same(found->job, rows_.stored(id)));
  }

  testbed::TestDirectory directory_;
  CatalogOptions options_ = testbed::options_for(directory_.file("catalog.db"));
  TermsTable terms_{testbed::known_functions()};
  std::unique_ptr<Catalog> catalog_ = testbed::open_catalog(options_, terms_);
  Time now_{1'700'000'000'000};
  std::uint64_t turn_ = 0;
  base::Random random_{1};
  Rows rows_;
  Machine machine_{rows_, {}, &terms_};
  SharedTurns pending_;
};

TEST_F(CatalogTest, ANewOneIsEmpty) {
  EXPECT_EQ(catalog_->applied_turn(), 0U);
  EXPECT_FALSE(catalog_->applied_time().is_set());
  EXPECT_EQ(catalog_->last_number(), 0);
  EXPECT_TRUE(catalog_->apply({}).ok());
  testbed::expect_sound(*catalog_);
}

TEST_F(CatalogTest, RemembersHowFarItIs) {
  submit({});
  turn({});
  apply();
  catalog_ = testbed::open_catalog(options_, terms_);
  EXPECT_EQ(catalog_->applied_turn(), 2U);
  EXPECT_EQ(catalog_->applied_time(), now_);
  EXPECT_EQ(catalog_->last_number(), 1);
}

TEST_F(CatalogTest, TurnsComeInOrder) {
  submit({});
  const SharedTurns turns = pending_;
  apply();
  const auto again = catalog_->apply(turns);
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.error().message.find("turn 1 comes after turn 1"), std::string::npos);
}

TEST_F(CatalogTest, AJobThatCameAndWentWithinOneCallIsNeverWritten) {
  const JobId id = submit({});
  turn({CancelJob{id, false, ""}});
  turn({DeleteJob{id}});
  apply();
  EXPECT_FALSE(find(id).has_value());
  EXPECT_EQ(count("SELECT count(*) FROM bodies"), 0);
  EXPECT_EQ(catalog_->last_number(), 1);
  testbed::expect_sound(*catalog_);
}

TEST_F(CatalogTest, ADeletedJobLeavesNothing) {
  Submission job;
  job.payload = std::string(5000, 'x');
  job.tags = {{"a", "b"}};
  job.account = "somebody";
  job.idempotency_key = "k";
  const JobId id = submit(job);
  apply();
  turn({CancelJob{id, false, ""}});
  apply();
  turn({DeleteJob{id}});
  apply();
  for (const char* table : {"jobs", "bodies", "payloads", "extras", "ids", "tags"})
    EXPECT_EQ(count(("SELECT count(*) FROM " + std::string(table)).c_str()), 0) << table;
  testbed::expect_sound(*catalog_);
}

TEST_F(CatalogTest, ALargePayloadHasARowOfItsOwnAndStaysWhole) {
  Submission job;
  job.payload = std::string(200'000, 'p');
  const JobId large = submit(job);
  job.payload = "small";
  const JobId small = submit(job);
  apply();
  EXPECT_EQ(count("SELECT count(*) FROM payloads"), 1);
  const ClaimedJob claimed = claim();
  call(CallKind::kAck, claimed, std::string(100'000, 'r'));
  apply();
  expect_as_in_rows(large);
  expect_as_in_rows(small);
  EXPECT_EQ(find(large)->job.record.spec->payload.size(), 200'000U);
  EXPECT_EQ(find(large)->job.record.result->bytes.size(), 100'000U);
}

TEST_F(CatalogTest, LoadingReadsOnlyWhatIsLive) {
  for (int i = 0; i < 20; ++i)
    submit({});
  for (int i = 0; i < 18; ++i) {
    const ClaimedJob claimed = claim();
    call(CallKind::kAck, claimed);
  }
  apply();
  std::vector<std::int64_t> numbers;
  CatalogVisitor visitor;
  visitor.queue = [](const StoredQueue& queue) {
    EXPECT_EQ(queue.counts[static_cast<std::size_t>(JobState::kCompleted)], 18);
    EXPECT_EQ(queue.counts[static_cast<std::size_t>(JobState::kScheduled)], 2);
  };
  visitor.job = [&](const LiveJob& job) { numbers.push_back(job.number); };
  ASSERT_TRUE(catalog_->load(now_, visitor).ok());
  EXPECT_EQ(numbers, (std::vector<std::int64_t>{19, 20}));
}

TEST_F(CatalogTest, KeysThatHaveEndedAreNotLoaded) {
  Submission job;
  job.idempotency_key = "k";
  submit(job);
  apply();
  const auto keys_at = [this](Time now) {
    int keys = 0;
    CatalogVisitor visitor;
    visitor.queue = [](const StoredQueue&) {};
    visitor.job = [](const LiveJob&) {};
    visitor.key = [&](const StoredKey&) { ++keys; };
    EXPECT_TRUE(catalog_->load(now, visitor).ok());
    return keys;
  };
  EXPECT_EQ(keys_at(now_ + base::hours(24) + base::milliseconds(-1)), 1);
  EXPECT_EQ(keys_at(now_ + base::hours(24)), 0);
}

// Turns of an earlier version say all submissions of the past hour, those of today each one.
TEST_F(CatalogTest, SubmissionsAreAddedToWhatEarlierTurnsSaid) {
  const auto add = [&](Time submitted, std::optional<std::vector<Time>> hour = {}) {
    auto changes = std::make_shared<TurnChanges>();
    changes->turn = ++turn_;
    changes->at = now_;
    changes->changes.emplace_back(
        AccountChange{{"ann", Tier::kUser, {}, 1}, {}, {}, submitted, std::move(hour)});
    pending_.push_back(std::move(changes));
  };
  const auto submissions = [&] {
    return testbed::open_reader(options_, terms_)->account("ann").value()->submissions;
  };
  const auto at = [&](int minutes) { return now_ + base::minutes(minutes); };
  add({}, std::vector<Time>{at(0), at(1)});
  add(at(2));
  apply();
  EXPECT_EQ(submissions(), (std::vector<Time>{at(0), at(1), at(2)}));
  add(at(3));
  add(at(3));
  add({});
  apply();
  EXPECT_EQ(submissions(), (std::vector<Time>{at(0), at(1), at(2), at(3), at(3)}));
  add({});
  apply();
  EXPECT_EQ(submissions().size(), 5U) << "a change without one leaves them";
  add(at(61));
  apply();
  EXPECT_EQ(submissions(), (std::vector<Time>{at(2), at(3), at(3), at(61)}));
  add({}, std::vector<Time>{at(61)});
  apply();
  EXPECT_EQ(submissions(), std::vector<Time>{at(61)});
}

TEST_F(CatalogTest, AReaderSeesWhatWasThereWhenItBegan) {
  const JobId first = submit({});
  apply();
  const auto reader = testbed::open_reader(options_, terms_);
  EXPECT_TRUE(reader->find(first)->has_value());
  const JobId second = submit({});
  EXPECT_FALSE(reader->find(second)->has_value());
  apply();
  EXPECT_TRUE(reader->find(second)->has_value());
  ASSERT_TRUE(catalog_->checkpoint().ok());
  EXPECT_TRUE(reader->find(first)->has_value());
}

TEST_F(CatalogTest, ACheckpointLetsTheWriteAheadLogBeginAnew) {
  const auto wal_bytes = [this] { return std::filesystem::file_size(options_.path + "-wal"); };
  Submission job;
  job.payload = std::string(100'000, 'p');
  submit(job);
  apply();
  const auto once = wal_bytes();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(catalog_->checkpoint().ok());
    submit(job);
    apply();
  }
  EXPECT_LE(wal_bytes(), 2 * once);
  for (int i = 0; i < 6; ++i) {
    submit(job);
    apply();
  }
  EXPECT_GT(wal_bytes(), 3 * once);
}

TEST_F(CatalogTest, ACheckpointDoesNotWaitForAReader) {
  submit({});
  apply();
  Database reader({options_.path, "", false});
  Transaction reading(reader, Transaction::Kind::kRead);
  EXPECT_EQ(reader.number("SELECT count(*) FROM jobs"), 1);
  submit({});
  apply();
  EXPECT_TRUE(catalog_->checkpoint().ok());
  EXPECT_EQ(reader.number("SELECT count(*) FROM jobs"), 1);
}

TEST_F(CatalogTest, ACopyIsACatalog) {
  const JobId id = submit({});
  apply();
  const std::string path = directory_.file("copy.db");
  const auto reader = testbed::open_reader(options_, terms_);
  const auto copied = reader->copy_to(path);
  ASSERT_TRUE(copied.ok()) << copied.error().message;
  submit({});
  apply();
  EXPECT_FALSE(reader->copy_to(path).ok());
  EXPECT_TRUE(reader->find(id)->has_value());
  const CatalogOptions options = testbed::options_for(path);
  const auto copy = testbed::open_catalog(options, terms_);
  EXPECT_EQ(copy->applied_turn(), 1U);
  EXPECT_EQ(copy->last_number(), 1);
  testbed::expect_sound(*copy);
  EXPECT_TRUE(testbed::open_reader(options, terms_)->find(id)->has_value());
}

TEST_F(CatalogTest, ABackoffFunctionMustBeKnown) {
  QueueUpdate update;
  update.name = "default";
  update.retry.emplace();
  update.retry->strategy = Strategy::kFunction;
  update.retry->function = "doubling";
  turn({update});
  const JobId id = submit({});
  apply();
  EXPECT_EQ(find(id)->job.record.facts.terms->retry.function, testbed::doubling);
  TermsTable nothing;
  const auto found = testbed::open_reader(options_, nothing)->find(id);
  ASSERT_FALSE(found.ok());
  EXPECT_NE(found.error().message.find("\"doubling\" is not registered"), std::string::npos);
  CatalogVisitor visitor;
  visitor.queue = [](const StoredQueue&) {};
  visitor.job = [](const LiveJob&) {};
  catalog_.reset();
  EXPECT_FALSE(testbed::open_catalog(options_, nothing)->load(now_, visitor).ok());
}

TEST_F(CatalogTest, AnExclusiveCatalogNeedsNoSharedMemory) {
  catalog_.reset();
  options_.path = directory_.file("exclusive.db");
  options_.exclusive = true;
  catalog_ = testbed::open_catalog(options_, terms_);
  auto reader = catalog_->reader();
  ASSERT_TRUE(reader.ok());
  const JobId id = submit({});
  apply();
  EXPECT_TRUE((*reader)->find(id)->has_value());
  EXPECT_EQ((*reader)->list({})->jobs.size(), 1U);
  const JobId next = submit({});
  apply();
  EXPECT_TRUE((*reader)->find(next)->has_value());
  EXPECT_FALSE(std::filesystem::exists(options_.path + "-shm"));
  reader->reset();
  testbed::expect_sound(*catalog_);
}

TEST_F(CatalogTest, TermsBeyondThoseThatAreSharedStandWithTheirJobs) {
  const auto submit_living = [&](std::int64_t ms) {
    Submission job;
    job.timeouts.lifetime = base::milliseconds(ms);
    return submit(std::move(job));
  };
  // As a program without that limit leaves it.
  std::vector<JobId> ids;
  for (std::int64_t i = 0; i < 20; ++i)
    ids.push_back(submit_living(100'000 + i));
  apply();
  EXPECT_EQ(count("SELECT count(*) FROM terms"), 20);
  catalog_.reset();
  options_.tuning.shared_terms = 24;
  options_.tuning.remembered = 3;
  catalog_ = testbed::open_catalog(options_, terms_);
  for (std::int64_t i = 0; i < 100; ++i)
    ids.push_back(submit_living(200'000 + i % 50));
  apply();
  EXPECT_EQ(count("SELECT count(*) FROM terms"), 24);
  for (int i = 0; i < 60; ++i)
    call(CallKind::kAck, claim());
  apply();
  EXPECT_EQ(count("SELECT count(*) FROM terms"), 24);
  for (const JobId& id : ids)
    expect_as_in_rows(id);
  testbed::expect_sound(*catalog_);
  catalog_ = testbed::open_catalog(options_, terms_);
  std::size_t live = 0;
  CatalogVisitor visitor;
  visitor.queue = [](const StoredQueue&) {};
  visitor.job = [&](const LiveJob& job) {
    ++live;
    EXPECT_EQ(*job.facts.terms, *rows_.find(job.id)->facts.terms);
  };
  ASSERT_TRUE(catalog_->load(now_, visitor).ok());
  EXPECT_EQ(live, 60U);
}

TEST_F(CatalogTest, NamesMayHaveAnyBytes) {
  Submission job;
  job.type = std::string("t\0'x\xff", 5);
  job.correlation_id = std::string("c\0d", 3);
  job.account = "\"; DROP TABLE jobs";
  job.tags = {{std::string("n\0m", 3), std::string("\xfe", 1)}};
  auto change = JobChange{};
  change.id = make_job_id(random_);
  change.number = 1;
  lifecycle::Terms terms;
  terms.profile = &lifecycle::default_profile();
  change.facts.terms = terms_.keep(terms);
  change.facts.state = JobState::kScheduled;
  change.facts.created_at = now_;
  change.made = std::make_shared<const Submission>(job);
  const JobId id = change.id;
  auto turn = std::make_shared<TurnChanges>();
  turn->turn = 1;
  turn->at = now_;
  turn->changes.emplace_back(QueueChange{"default", {}});
  turn->changes.emplace_back(std::move(change));
  pending_.push_back(turn);
  apply();
  EXPECT_EQ(*find(id)->job.record.spec, job);
  const auto reader = testbed::open_reader(options_, terms_);
  ListJobs filter;
  filter.type = job.type;
  filter.correlation_id = job.correlation_id;
  filter.account = job.account;
  filter.tag = job.tags.front();
  EXPECT_EQ(reader->list(filter)->jobs.size(), 1U);
  filter.type = "t";
  EXPECT_EQ(reader->list(filter)->jobs.size(), 0U);
  testbed::expect_sound(*catalog_);
}

TEST_F(CatalogTest, ALargeResultIsNotReadToLearnThatItIsTooLarge) {
  QueueUpdate update;
  update.name = "default";
  update.max_payload_bytes = std::size_t{16} << 20;
  turn({update});
  const JobId large = submit({});
  std::string result;
  result.resize(15'000'000, 'x');
  call(CallKind::kAck, claim(), result);
  const JobId small = submit({});
  call(CallKind::kAck, claim(), std::string(10'000, 'y'));
  const JobId without = submit({});
  apply();
  const auto reader = testbed::open_reader(options_, terms_);
  const std::int64_t before = reader->reads().bytes;
  const auto found = reader->result(large, 16'384);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ((*found)->body.bytes, 15'000'000U);
  EXPECT_FALSE((*found)->body.result.has_value());
  EXPECT_LT(reader->reads().bytes - before, 10'000);
  const auto whole = reader->result(small, 16'384);
  EXPECT_EQ((*whole)->body.result, (Outcome{std::string(10'000, 'y'), "text/plain"}));
  EXPECT_EQ((*whole)->body.bytes, 0U);
  EXPECT_LT(reader->reads().bytes - before, 100'000);
  EXPECT_FALSE((*reader->result(without, 16'384))->body.result.has_value());
  EXPECT_FALSE(reader->result(make_job_id(random_), 16'384)->has_value());
}

TEST_F(CatalogTest, ParentsOfEarlierFormatsAreFilledInWhenItIsOpened) {
  const JobId parent = submit({});
  WorkCall ack;
  const ClaimedJob claimed = claim();
  ack.execution = claimed.execution;
  ack.token = claimed.facts.execution.token;
  Submission child;
  child.type = "child";
  AckCall call;
  call.spawn.assign(3, std::make_shared<const Submission>(child));
  ack.call = call;
  turn({ack});
  apply();
  ListJobs filter;
  filter.parent = parent;
  EXPECT_EQ(testbed::open_reader(options_, terms_)->list(filter)->jobs.size(), 3U);
  EXPECT_EQ(count("SELECT value FROM meta WHERE name = 'parents_known'"), 1);
  catalog_.reset();
  {
    const auto database = open_to_write(options_);
    database->run("UPDATE jobs SET parent = NULL");
    database->run("UPDATE meta SET value = 0 WHERE name = 'parents_known'");
  }
  EXPECT_EQ(testbed::open_reader(options_, terms_)->list(filter)->jobs.size(), 0U);
  catalog_ = testbed::open_catalog(options_, terms_);
  EXPECT_EQ(testbed::open_reader(options_, terms_)->list(filter)->jobs.size(), 3U);
  EXPECT_EQ(count("SELECT value FROM meta WHERE name = 'parents_known'"), 1);
}

}  // namespace
}  // namespace baton::store::local
