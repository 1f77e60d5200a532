// Nothing damaged is served: whatever bit of a data directory turns around, every answer is what it
// was, or says `damaged`, or the store does not open and names the file. How many bits are tried is
// BATON_DAMAGE_FLIPS.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>

#include "base/clock.h"
#include "base/temporary_directory.h"
#include "store/local/codec/job_codec.h"
#include "store/local/local_store.h"
#include "store/work_call.h"

namespace baton::store::local {
namespace {

namespace fs = std::filesystem;

constexpr Time kStart{1'700'000'000'000};
constexpr int kJobs = 60;

template <class Answer, class Call>
Result<Answer> ask(Call&& call) {
  std::promise<Result<Answer>> promise;
  auto future = promise.get_future();
  std::forward<Call>(call)(
      Done<Answer>([&promise](Result<Answer> answer) { promise.set_value(std::move(answer)); }));
  return future.get();
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// ---- Answers as text ----------------------------------------------------------------------------

std::string text_of(const JobRecord& record) {
  StoredJob stored;
  stored.record = record;
  return std::to_string(record.number) + to_string(record.id) +
         facts_column({record.facts, 0, false}) + terms_column(*record.facts.terms) +
         spec_column(*record.spec, PayloadIs::kInside) + body_column(record) +
         extras_column(stored);
}

std::string text_of(const JobList& list) {
  std::string text;
  for (const auto& job : list.jobs)
    text += text_of(*job);
  return text + "next " + std::to_string(list.next_before_number);
}

std::string text_of(const Balance& balance) {
  return std::to_string(balance.granted) + " " + std::to_string(balance.available) + " " +
         std::to_string(balance.reserved) + " " + std::to_string(balance.captured);
}

std::string text_of(const std::vector<LedgerEntry>& entries) {
  std::string text;
  for (const LedgerEntry& entry : entries) {
    text += std::to_string(entry.seq) + " " + std::string(name(entry.kind)) + " " +
            std::to_string(entry.amount) + " " + to_string(entry.job) + " " +
            std::to_string(entry.at.ms) + " " + text_of(entry.after) + "\n";
  }
  return text;
}

std::string text_of(const Account& account) {
  return account.id + " " + std::string(name(account.tier)) + " " + text_of(account.balance) + " " +
         std::to_string(account.active_jobs);
}

std::string text_of(const Stats& stats) {
  std::string text = std::to_string(stats.live_jobs);
  for (const Queue& queue : stats.queues) {
    text += "\n" + queue.name + settings_column(queue.settings);
    for (const std::int64_t count : queue.counts)
      text += " " + std::to_string(count);
  }
  return text;
}

std::string text_of(const SubmitAnswer& answer) {
  const auto& made = answer.results.front();
  if (!made) return std::string(name(made.error().code));
  return to_string(made->id) + (made->duplicate ? " again" : " made");
}

template <class T>
Result<std::string> text_of(const Result<T>& answer) {
  if (!answer) return answer.error();
  return text_of(*answer);
}

// ---- A store with a bit of everything -----------------------------------------------------------

class Damage : public testing::Test {
 protected:
  struct Line {
    std::string asked;
    Result<std::string> answer;
  };
  using Transcript = std::vector<Line>;

  Result<std::unique_ptr<Store>> open(const std::string& directory) const {
    FileOptions options;
    options.clock = &clock_;
    options.seed = 7;
    options.directory = directory;
    options.segment_bytes = 64 << 10;
    return open_file_store(options);
  }

  static std::shared_ptr<Submission> submission(int i) {
    auto spec = std::make_shared<Submission>();
    spec->type = i % 2 == 0 ? "mail" : "film";
    spec->queue = "queue-" + std::to_string(i % 3);
    // Some in the row, some in a table of their own, some over several pages.
    spec->payload.assign(static_cast<std::size_t>(i % 5 == 0 ? 9000 : 30 * i),
                         static_cast<char>('a' + i % 26));
    if (i % 4 == 0) spec->idempotency_key = "key-" + std::to_string(i);
    if (i % 3 == 0) spec->tags = {{"shop", "s" + std::to_string(i % 2)}};
    if (i % 6 == 1) spec->correlation_id = "order";
    if (i % 4 == 1) {
      spec->account = "ann";
      spec->cost = 3;
    }
    return spec;
  }

  JobId submit(Store& store, const std::shared_ptr<Submission>& spec) {
    SubmitBatch batch;
    batch.jobs = {spec};
    const auto answer = ask<SubmitAnswer>([&](auto done) { store.submit(batch, std::move(done)); });
    EXPECT_TRUE(answer.ok() && answer->results.front().ok());
    return answer->results.front()->id;
  }

  void work(Store& store, const ClaimedJob& claimed, CallKind kind) {
    WorkCall call;
    call.call = blank_call(kind);
    call.execution = claimed.execution;
    call.token = claimed.facts.execution.token;
    if (auto* ack = std::get_if<AckCall>(&call.call)) {
      ack->result = Outcome{std::string(2000, 'r'), "text/plain"};
    }
    if (auto* beat = std::get_if<HeartbeatCall>(&call.call)) beat->checkpoint = "half";
    if (auto* nack = std::get_if<NackCall>(&call.call)) {
      nack->failure = {FailureCategory::kTemporary, "E1", "broke", ""};
    }
    using Answers = std::vector<Result<CallAnswer>>;
    EXPECT_TRUE(ask<Answers>([&](auto done) { store.work({call}, std::move(done)); }).ok());
  }

  void fill(Store& store) {
    grant(store, "ann", 1000);
    for (int i = 0; i < kJobs; ++i) {
      auto spec = submission(i);
      if (i % 7 == 6) {
        spec->depends_on = {{DependencyType::kAfter, {to_string(jobs_.back())}}};
      }
      jobs_.push_back(submit(store, spec));
    }
    ClaimRequest request;
    request.queues = {"queue-0", "queue-1"};
    request.max = 30;
    request.worker = "w";
    const auto claims = ask<ClaimAnswer>([&](auto done) { store.claim(request, std::move(done)); });
    const CallKind kinds[] = {CallKind::kAck, CallKind::kNack, CallKind::kHeartbeat,
                              CallKind::kAck};
    for (std::size_t i = 0; i < claims->executions.size(); ++i)
      work(store, claims->executions[i], kinds[i % 4]);
    const auto cancelled = ask<JobAnswer>([&](auto done) {
      store.cancel({jobs_[50], true, "not needed"}, std::move(done));
    });
    EXPECT_TRUE(cancelled.ok());
    catch_up(store);
  }

  void grant(Store& store, const std::string& account, std::int64_t amount) {
    GrantCredits grant;
    grant.account = account;
    grant.amount = amount;
    EXPECT_TRUE(ask<Account>([&](auto done) { store.grant(grant, std::move(done)); }).ok());
  }

  // A list is answered when the catalog has everything.
  static void catch_up(Store& store) {
    ListJobs filter;
    filter.limit = 1;
    EXPECT_TRUE(ask<JobList>([&](auto done) { store.list(filter, std::move(done)); }).ok());
  }

  // A store that was closed, and one whose process was killed with turns in the log alone.
  void make(const std::string& directory, bool kill) {
    const std::string live = kill ? directory_.path() + "/live" : directory;
    auto store = open(live);
    ASSERT_TRUE(store.ok()) << store.error().message;
    fill(**store);
    if (!kill) return;
    for (int i = kJobs; i < kJobs + 10; ++i)
      jobs_.push_back(submit(**store, submission(i)));
    // Damage to the very last record of a log is taken for a torn one (docs/log-format.md), so that
    // nothing is asked of the last turn here.
    grant(**store, "nobody", 1);
    fs::copy(live, directory);
    fs::remove(directory + "/catalog.db-shm");
  }

  static ListJobs filter(const char* what) {
    ListJobs filter;
    filter.limit = 1000;
    filter.with = kAllParts;
    const std::string_view by(what);
    if (by == "queue") filter.queue = "queue-1";
    if (by == "type") filter.type = "film";
    if (by == "tag") filter.tag = {"shop", "s1"};
    if (by == "account") filter.account = "ann";
    if (by == "correlation") filter.correlation_id = "order";
    if (by == "state") filter.canonical_state = JobState::kCompleted;
    if (by == "page") filter.limit = 5;
    filter.with = kAllParts;
    return filter;
  }

  Transcript ask_everything(Store& store) const {
    Transcript all;
    using Record = std::shared_ptr<const JobRecord>;
    for (const char* const what :
         {"all", "queue", "type", "tag", "account", "correlation", "state", "page"}) {
      all.push_back({std::string("list by ") + what, text_of(ask<JobList>([&](auto done) {
                       store.list(filter(what), std::move(done));
                     }))});
    }
    for (const JobId& id : jobs_) {
      const auto got = ask<Record>([&](auto done) { store.get(id, std::move(done)); });
      all.push_back({"get " + to_string(id),
                     got ? Result<std::string>(text_of(**got)) : Result<std::string>(got.error())});
    }
    all.push_back({"entries", text_of(ask<std::vector<LedgerEntry>>([&](auto done) {
                     store.entries(EntriesPage{"ann"}, std::move(done));
                   }))});
    all.push_back({"account", text_of(ask<Account>(
                                  [&](auto done) { store.get_account("ann", std::move(done)); }))});
    all.push_back({"stats", text_of(ask<Stats>([&](auto done) { store.stats(std::move(done)); }))});
    for (int i = 0; i < kJobs; i += 12) {
      SubmitBatch again;
      again.jobs = {submission(i)};
      all.push_back({"key of " + std::to_string(i), text_of(ask<SubmitAnswer>([&](auto done) {
                       store.submit(again, std::move(done));
                     }))});
    }
    return all;
  }

  static bool names_a_file(const Error& error) {
    return error.message.find("catalog.db") != std::string::npos ||
           error.message.find("log-") != std::string::npos ||
           error.message.find("manifest") != std::string::npos;
  }

  // How many answers were `damaged`; each of the others is as it was.
  static int compare(const Transcript& expected, const Transcript& seen) {
    int damaged = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Line& line = seen[i];
      if (!line.answer) {
        const Code code = line.answer.error().code;
        EXPECT_TRUE(code == Code::kDamaged || code == Code::kStoreUnavailable)
            << line.asked << ": " << line.answer.error().message;
        EXPECT_TRUE(names_a_file(line.answer.error())) << line.answer.error().message;
        ++damaged;
      } else if (expected[i].answer && *line.answer != *expected[i].answer) {
        ADD_FAILURE() << line.asked << " has another answer";
      }
    }
    return damaged;
  }

  void flip_bits(bool kill, int flips);

  base::TemporaryDirectory directory_;
  base::ManualClock clock_{kStart};
  std::vector<JobId> jobs_;
};

struct Files {
  std::vector<fs::path> names;  // sorted
  std::size_t of_catalog = 0;   // how many of them are the catalog's, which come first
};

Files files_in(const std::string& directory) {
  Files files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    if (entry.file_size() == 0 || entry.path().extension() == ".free") continue;
    files.names.push_back(entry.path().filename());
    if (entry.path().filename().string().starts_with("catalog.db")) ++files.of_catalog;
  }
  std::sort(files.names.begin(), files.names.end());
  return files;
}

int flips_wanted() {
  const char* const wanted = std::getenv("BATON_DAMAGE_FLIPS");
  return wanted == nullptr ? 100 : std::atoi(wanted);
}

void Damage::flip_bits(bool kill, int flips) {
  const std::string origin = directory_.path() + "/origin";
  const std::string copy = directory_.path() + "/copy";
  make(origin, kill);
  const auto copied = [&] {
    fs::remove_all(copy);
    fs::copy(origin, copy);
  };
  copied();
  const Transcript expected = ask_everything(**open(copy));
  for (const Line& line : expected)
    ASSERT_TRUE(line.answer.ok()) << line.asked << ": " << line.answer.error().message;
  const Files files = files_in(origin);
  base::Random random(kill ? 2 : 1);
  int refused = 0;
  int damaged = 0;
  int unharmed = 0;
  for (int i = 0; i < flips && !HasFailure(); ++i) {
    copied();
    // The log is mostly empty room, and the catalog's files come first.
    const bool of_catalog = random.below(3) != 0;
    const std::size_t among = of_catalog ? files.of_catalog : files.names.size();
    const fs::path name = files.names[random.below(among)];
    std::string bytes = read_file(copy / name);
    const std::uint64_t bit = random.below(bytes.size() * 8);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    write_file(copy / name, bytes);
    SCOPED_TRACE("bit " + std::to_string(bit) + " of " + name.string());
    const auto opened = open(copy);
    if (!opened) {
      EXPECT_TRUE(names_a_file(opened.error())) << opened.error().message;
      ++refused;
    } else {
      (compare(expected, ask_everything(**opened)) > 0 ? damaged : unharmed) += 1;
    }
  }
  std::printf("%d flips: %d refused at opening, %d with damaged answers, %d without harm\n", flips,
              refused, damaged, unharmed);
  EXPECT_GT(refused + damaged, flips / 10);
}

TEST_F(Damage, OfAStoreThatWasClosedIsNeverServed) { flip_bits(false, flips_wanted() / 2); }

TEST_F(Damage, OfAStoreThatWasKilledIsNeverServed) { flip_bits(true, flips_wanted() / 2); }

// ---- One damaged job ----------------------------------------------------------------------------

class DamagedJob : public Damage {
 protected:
  // A bit in the middle of one payload, which has pages of its own.
  void damage_payload(char letter) {
    const fs::path path = fs::path(data_) / "catalog.db";
    std::string bytes = read_file(path);
    const std::size_t at = bytes.find(std::string(3000, letter));
    ASSERT_NE(at, std::string::npos);
    bytes[at + 1000] = static_cast<char>(bytes[at + 1000] ^ 1);
    write_file(path, bytes);
  }

  // Three jobs with large payloads a, b and c, of which the second is damaged.
  std::unique_ptr<Store> store_with_damage() {
    {
      auto store = open(data_);
      for (const char letter : {'a', 'b', 'c'}) {
        auto spec = std::make_shared<Submission>();
        spec->type = "mail";
        spec->payload.assign(20'000, letter);
        spec->retry.max_attempts = 2;
        jobs_.push_back(submit(**store, spec));
      }
    }
    damage_payload('b');
    auto store = open(data_);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return std::move(*store);
  }

  ClaimAnswer claim(Store& store) {
    ClaimRequest request;
    request.queues = {"default"};
    request.max = 10;
    request.worker = "w";
    return ask<ClaimAnswer>([&](auto done) { store.claim(request, std::move(done)); }).value();
  }

  Result<std::shared_ptr<const JobRecord>> get(Store& store, std::size_t job) {
    using Record = std::shared_ptr<const JobRecord>;
    return ask<Record>([&](auto done) { store.get(jobs_[job], std::move(done)); });
  }

  std::string data_ = directory_.path() + "/data";
};

TEST_F(DamagedJob, IsSaidToBeDamagedAndTheOthersAreServed) {
  const auto store = store_with_damage();
  EXPECT_EQ(get(*store, 0).value()->spec->payload, std::string(20'000, 'a'));
  EXPECT_EQ(get(*store, 2).value()->spec->payload, std::string(20'000, 'c'));
  const auto damaged = get(*store, 1);
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().code, Code::kDamaged);
  EXPECT_NE(damaged.error().message.find("catalog.db: page "), std::string::npos)
      << damaged.error().message;
}

TEST_F(DamagedJob, IsLeftOutOfAClaimAndItsExecutionEnds) {
  const auto store = store_with_damage();
  const ClaimAnswer first = claim(*store);
  ASSERT_EQ(first.executions.size(), 2u);
  EXPECT_EQ(first.executions[0].job, jobs_[0]);
  EXPECT_EQ(first.executions[1].job, jobs_[2]);
  // The second attempt is its last.
  EXPECT_TRUE(claim(*store).executions.empty());
  EXPECT_TRUE(claim(*store).executions.empty());
  const auto stats = ask<Stats>([&](auto done) { store->stats(std::move(done)); }).value();
  const auto count = [&](JobState state) {
    return stats.queues.front().counts[static_cast<std::size_t>(state)];
  };
  EXPECT_EQ(count(JobState::kRunning), 2);
  EXPECT_EQ(count(JobState::kDeadLetter), 1);
  EXPECT_EQ(get(*store, 1).error().code, Code::kDamaged);
}

}  // namespace
}  // namespace baton::store::local
