#include "sim/world/run.h"

#include <gtest/gtest.h>

namespace baton::sim {
namespace {

TEST(Simulation, OneSeedGivesOneRun) {
  const Mix mix;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    RunPlan plan;
    plan.seed = seed;
    plan.steps = 300;
    plan.mix = &mix;
    const RunReport first = run(plan);
    const RunReport second = run(plan);
    ASSERT_FALSE(first.violation) << first.violation->detail;
    EXPECT_EQ(first.digest, second.digest) << "seed " << seed;
    EXPECT_GT(first.jobs, 0);
  }
}

TEST(Simulation, OneSeedGivesOneRunOnADiskToo) {
  Mix mix;
  mix.disk = 1;
  mix.disk_stops_turn = 30;
  mix.disk_stops_projection = 60;
  mix.disk_stops_opening = 300;
  mix.disk_sync_fails = 5;
  mix.disk_power = 500;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    RunPlan plan;
    plan.seed = seed;
    plan.steps = 150;
    plan.mix = &mix;
    const RunReport first = run(plan);
    ASSERT_FALSE(first.violation) << first.violation->detail;
    EXPECT_EQ(first.digest, run(plan).digest) << "seed " << seed;
  }
}

TEST(Simulation, SeedsDiffer) {
  const Mix mix;
  RunPlan plan;
  plan.steps = 100;
  plan.mix = &mix;
  plan.seed = 1;
  const std::uint64_t first = run(plan).digest;
  plan.seed = 2;
  EXPECT_NE(first, run(plan).digest);
}

TEST(Simulation, LeavingAStepOutLeavesTheOthersIn) {
  const Mix mix;
  RunPlan plan;
  plan.steps = 100;
  plan.mix = &mix;
  for (int step = 1; step <= 100; step += 2)
    plan.skipped.insert(step);
  int steps = 0;
  plan.trace = [&](const std::vector<std::string>& lines) {
    if (lines.front().starts_with("step ") && lines.size() > 1) ++steps;
  };
  EXPECT_FALSE(run(plan).violation);
  EXPECT_GE(steps, 40);
}

}  // namespace
}  // namespace baton::sim
