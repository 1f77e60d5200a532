// A lack of memory, made by an allocator that refuses what is large while a test wants it to.
#include "store/local/machine/out_of_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <future>
#include <limits>
#include <new>

#include "base/simulated_disk.h"
#include "base/temporary_directory.h"
#include "store/local/durable/projector.h"
#include "store/local/local_store.h"
#include "store/local/machine/machine_thread.h"
#include "store/local/machine/rows.h"

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
std::atomic<std::size_t> refused_from{kNone};  // bytes

}  // namespace

void* operator new(std::size_t bytes) {
  if (bytes < refused_from.load(std::memory_order_relaxed)) {
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  }
  throw std::bad_alloc();
}

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  if (bytes >= refused_from.load(std::memory_order_relaxed)) return nullptr;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto block = static_cast<std::size_t>(alignment);
  if (bytes < refused_from.load(std::memory_order_relaxed)) {
    if (void* memory = std::aligned_alloc(block, (bytes + block - 1) / block * block))
      return memory;
  }
  throw std::bad_alloc();
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace baton::store::local {
namespace {

constexpr Time kNow{1'700'000'000'000};
constexpr std::size_t kPayload = 900'000;

// While it lives, nobody gets so many bytes at once.
class Scarcity {
 public:
  explicit Scarcity(std::size_t from) { refused_from = from; }
  ~Scarcity() { refused_from = kNone; }
  Scarcity(const Scarcity&) = delete;
  Scarcity& operator=(const Scarcity&) = delete;
};

SubmitBatch batch(std::size_t jobs, std::size_t payload = 0) {
  auto spec = std::make_shared<Submission>();
  spec->type = "mail";
  spec->payload = "\"" + std::string(payload, 'x') + "\"";
  SubmitBatch all;
  all.jobs.assign(jobs, spec);
  return all;
}

template <class T>
Result<T> wait_for(const std::function<void(Done<T>)>& ask) {
  std::promise<Result<T>> answer;
  ask([&](Result<T> one) { answer.set_value(std::move(one)); });
  return answer.get_future().get();
}

class OutOfMemory : public testing::Test {
 protected:
  OutOfMemory() { open(); }

  void open() {
    FileOptions options;
    options.clock = &clock_;
    options.seed = 1;
    options.directory = directory_.path();
    store_.reset();
    store_ = std::move(open_file_store(options)).value();
  }
  Result<SubmitAnswer> submit(const SubmitBatch& jobs) {
    return wait_for<SubmitAnswer>([&](auto done) { store_->submit(jobs, std::move(done)); });
  }
  Result<JobList> list(bool payload = false) {
    ListJobs filter;
    filter.with.payload = payload;
    return wait_for<JobList>([&](auto done) { store_->list(filter, std::move(done)); });
  }
  Result<std::shared_ptr<const JobRecord>> get(const JobId& id) {
    return wait_for<std::shared_ptr<const JobRecord>>(
        [&](auto done) { store_->get(id, std::move(done)); });
  }
  Result<ClaimAnswer> claim() {
    ClaimRequest request;
    request.queues = {"default"};
    request.worker = "w";
    return wait_for<ClaimAnswer>([&](auto done) { store_->claim(request, std::move(done)); });
  }

  base::ManualClock clock_{kNow};
  base::TemporaryDirectory directory_;
  std::unique_ptr<Store> store_;
};

TEST_F(OutOfMemory, InATurnFailsTheStoreInGoodOrder) {
  ASSERT_TRUE(submit(batch(3)).ok());
  {
    const Scarcity scarcity(100'000);  // the changes of a thousand jobs need more
    const auto refused = submit(batch(1'000));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Code::kStoreUnavailable);
    EXPECT_EQ(refused.error().message, out_of_memory().message);
  }
  const auto later = submit(batch(1));
  ASSERT_FALSE(later.ok()) << "half of a batch is in memory";
  EXPECT_EQ(later.error().code, Code::kStoreUnavailable);
  open();
  EXPECT_EQ(list()->jobs.size(), 3u);
  EXPECT_TRUE(submit(batch(1)).ok());
}

TEST_F(OutOfMemory, OfAReaderCostsOneRequest) {
  const JobId id = submit(batch(1, kPayload))->results.front()->id;
  ASSERT_TRUE(list().ok()) << "the job is in the catalog";
  {
    const Scarcity scarcity(kPayload / 2);
    EXPECT_EQ(get(id).error().code, Code::kStoreUnavailable);
    EXPECT_EQ(list(true).error().code, Code::kStoreUnavailable);
  }
  ASSERT_TRUE(get(id).ok());
  EXPECT_EQ(get(id).value()->spec->payload.size(), kPayload + 2);
  EXPECT_EQ(list(true)->jobs.size(), 1u);
  EXPECT_TRUE(submit(batch(1)).ok());
}

TEST_F(OutOfMemory, OfAClaimCostsOneRequestAndTheLeaseEnds) {
  submit(batch(1, kPayload)).value();
  ASSERT_TRUE(list().ok());
  {
    const Scarcity scarcity(kPayload / 2);
    EXPECT_EQ(claim().error().code, Code::kStoreUnavailable);
  }
  clock_.advance(base::hours(1));
  wait_for<TimersAnswer>([&](auto done) { store_->run_timers(std::move(done)); }).value();
  clock_.advance(base::hours(1));
  const auto claimed = claim();
  ASSERT_TRUE(claimed.ok());
  EXPECT_EQ(claimed->executions.at(0).record->spec->payload.size(), kPayload + 2);
}

// ---- Below the store ----------------------------------------------------------------------------

class OutOfMemoryBelow : public testing::Test {
 protected:
  OutOfMemoryBelow() {
    open();
    machine_ = std::make_unique<Machine>(*data_);
    EXPECT_TRUE(data_->load(*machine_, kNow).ok());
    EXPECT_TRUE(data_->keep(kNow, machine_->reopen(kNow, random_).changes).ok());
  }
  void open() {
    DataOptions options;
    options.catalog.path = directory_.path() + "/catalog.db";
    data_.reset();
    data_ = std::move(DataDirectory::open(disk_, options)).value();
  }
  std::vector<RowChange> changes_of(const SubmitBatch& jobs) {
    std::vector<Command> commands;
    commands.emplace_back(jobs);
    return machine_->turn(commands, kNow, random_).changes;
  }

  base::SimulatedDisk disk_{1};
  base::TemporaryDirectory directory_;
  base::Random random_{1};
  std::unique_ptr<DataDirectory> data_;
  std::unique_ptr<Machine> machine_;
};

TEST_F(OutOfMemoryBelow, WhileATurnIsKeptIsAFailureForEver) {
  std::vector<RowChange> changes = changes_of(batch(1, kPayload));
  {
    const Scarcity scarcity(kPayload / 2);
    const auto kept = data_->keep(kNow, std::move(changes));
    ASSERT_FALSE(kept.ok());
    EXPECT_EQ(kept.error().code, Code::kStoreUnavailable);
  }
  EXPECT_TRUE(data_->failure().has_value());
  EXPECT_FALSE(data_->keep(kNow, {}).ok());
}

// The turn is encoded where the log has those that wait to be written.
TEST_F(OutOfMemoryBelow, HalfATurnIsNotInTheLog) {
  const std::uint64_t last = data_->last_turn();
  {
    std::vector<RowChange> changes = changes_of(batch(3));
    for (RowChange& change : changes_of(batch(1, kPayload)))
      changes.push_back(std::move(change));
    const Scarcity scarcity(kPayload / 2);
    ASSERT_FALSE(data_->keep(kNow, std::move(changes)).ok());
  }
  EXPECT_EQ(data_->last_turn(), last);
  EXPECT_FALSE(data_->finish().ok());
  open();
  EXPECT_EQ(data_->last_turn(), last);
}

TEST_F(OutOfMemoryBelow, OfTheProjectorIsAFailureThatThoseWhoWaitHearOf) {
  for (int i = 0; i < 1'000; ++i)
    ASSERT_TRUE(data_->keep(kNow, changes_of(batch(1))).ok());
  const Scarcity scarcity(10'000);  // a list of a thousand turns needs more
  Projector projector(*data_);
  std::promise<Status> caught_up;
  projector.when_caught_up([&](Status status) { caught_up.set_value(std::move(status)); });
  const Status outcome = caught_up.get_future().get();
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, Code::kStoreUnavailable);
  EXPECT_TRUE(data_->failure().has_value());
}

TEST(MachineThread, GoesOnWhenAnAnswerFindsNoMemory) {
  base::ManualClock clock(kNow);
  Rows rows;
  Machine machine(rows);
  MachineThread thread(machine, {clock, {}}, base::Random(1),
                       [&](Time, const std::vector<RowChange>& changes) {
                         rows.apply(changes);
                         return Status(Ok{});
                       });
  thread.post(RunTimers{}, [](const Answer&) { throw std::bad_alloc(); });
  std::promise<Answer> answer;
  thread.post(RunTimers{}, [&](Answer one) { answer.set_value(std::move(one)); });
  EXPECT_TRUE(std::holds_alternative<TimersAnswer>(answer.get_future().get()));
}

}  // namespace
}  // namespace baton::store::local
