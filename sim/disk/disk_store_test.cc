#include "sim/disk/disk_store.h"

#include <gtest/gtest.h>

#include "store/local/machine/machine.h"

namespace baton::sim {
namespace {

using base::SimulatedDisk;
using namespace store::local;  // NOLINT(google-build-using-namespace)

constexpr Time kNow{1'700'000'000'000};
constexpr std::uint64_t kSegmentBytes = 8U << 10;

class DiskStoreTest : public testing::Test {
 protected:
  // Opens the store and gives it a machine, or says why not.
  static std::string open(DiskStore& store, std::unique_ptr<Machine>& machine) {
    machine.reset();
    if (const auto opened = store.open(); !opened) return opened.error().message;
    machine = std::make_unique<Machine>(store.data());
    const auto loaded = store.data().load(*machine, kNow);
    return loaded ? "" : loaded.error().message;
  }

  static bool submit(DiskStore& store, Machine& machine) {
    auto job = std::make_shared<Submission>();
    job->type = "mail";
    job->payload = std::string(1000, 'x');
    store::SubmitBatch batch;
    batch.jobs = {std::move(job)};
    static base::Random random(1);
    Turn turn = machine.turn({std::move(batch)}, kNow, random);
    return store.data().keep(kNow, std::move(turn.changes)).ok();
  }
};

// Found by the simulator: the sync of a projection fails, which leaves it in the memory of the
// system alone. The next process finds it there, believes that the catalog has those turns and
// frees the log of them; then the power goes.
TEST_F(DiskStoreTest, WhatAFailedSyncLeftInMemoryIsNotBelieved) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    DiskStore store(seed, kSegmentBytes);
    std::unique_ptr<Machine> machine;
    ASSERT_EQ(open(store, machine), "");
    for (int i = 0; i < 30; ++i)
      ASSERT_TRUE(submit(store, *machine));
    store.disk().fail(SimulatedDisk::Fault::kSync);
    ASSERT_FALSE(store.data().project(1000).ok());
    machine.reset();
    store.disk().stop_at(store.disk().operations() + 1);
    store.close();
    store.disk().restart();
    ASSERT_EQ(open(store, machine), "");
    ASSERT_TRUE(submit(store, *machine));
    machine.reset();
    store.disk().stop_at(store.disk().operations() + 1);
    store.close();
    store.disk().crash();
    ASSERT_EQ(open(store, machine), "") << "seed " << seed;
    EXPECT_EQ(store.data().last_turn(), 31u);
    EXPECT_EQ(machine->live_jobs(), 31);
  }
}

}  // namespace
}  // namespace baton::sim
