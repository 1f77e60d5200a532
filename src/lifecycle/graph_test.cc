#include "lifecycle/graph.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace baton::lifecycle {
namespace {
using Nodes = std::vector<GraphNode>;
using Numbers = std::vector<int>;

const Error kCycle{Code::kDependencyCycle, "the job waits for itself", "depends_on", {}};
const Error kRefusedParent{
    Code::kUnknownDependency, "depends on a job that was refused", "depends_on", {}};
const Error kTooDeep{Code::kDependencyTooDeep,
                     "a chain of unfinished dependencies may have at most 100 jobs",
                     "depends_on",
                     {}};

int refused_count(const GraphPlan& plan) {
  return static_cast<int>(std::count_if(plan.refused.begin(), plan.refused.end(),
                                        [](const auto& one) { return one.has_value(); }));
}

// Regression: a job that only stood between two cycles was said to wait for itself.
TEST(Graph, AJobBetweenTwoCyclesIsOnNeither) {
  std::vector<GraphNode> nodes(5);
  nodes[0].inside = {1};
  nodes[1].inside = {0};
  nodes[2].inside = {1};
  nodes[3].inside = {2, 4};
  nodes[4].inside = {3};
  const GraphPlan plan = plan_batch(nodes);
  for (const std::size_t cyclic : {0U, 1U, 3U, 4U}) {
    ASSERT_TRUE(plan.refused[cyclic]);
    EXPECT_EQ(plan.refused[cyclic]->code, Code::kDependencyCycle);
  }
  ASSERT_TRUE(plan.refused[2]);
  EXPECT_EQ(plan.refused[2]->code, Code::kUnknownDependency);
  EXPECT_TRUE(plan.order.empty());
}

TEST(Graph, NothingNeedsNoPlan) {
  const GraphPlan plan = plan_batch({});
  EXPECT_TRUE(plan.order.empty());
  EXPECT_TRUE(plan.refused.empty());
}

TEST(Graph, IndependentJobsKeepTheirOrder) {
  const GraphPlan plan = plan_batch(Nodes(4));
  EXPECT_EQ(plan.order, (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(refused_count(plan), 0);
}

TEST(Graph, DependenciesComeFirst) {
  Nodes nodes(4);
  nodes[0].inside = {2};
  nodes[2].inside = {3};
  const GraphPlan plan = plan_batch(nodes);
  EXPECT_EQ(plan.order, (Numbers{1, 3, 2, 0}));
  EXPECT_EQ(refused_count(plan), 0);
}

TEST(Graph, ADiamondIsClosedAfterItsLongerSide) {
  Nodes nodes(5);
  nodes[1].inside = {0};
  nodes[2].inside = {0};
  nodes[3].inside = {2};
  nodes[4].inside = {1, 3};
  const GraphPlan plan = plan_batch(nodes);
  EXPECT_EQ(plan.order, (Numbers{0, 1, 2, 3, 4}));
  nodes[3].inside = {};
  nodes[1].inside = {4};
  nodes[4].inside = {3, 2};
  EXPECT_EQ(plan_batch(nodes).order, (Numbers{0, 2, 3, 4, 1}));
}

TEST(Graph, ADependencyNamedTwiceCountsOnce) {
  Nodes nodes(2);
  nodes[1].inside = {0, 0};
  const GraphPlan plan = plan_batch(nodes);
  EXPECT_EQ(plan.order, (Numbers{0, 1}));
  EXPECT_EQ(refused_count(plan), 0);
}

TEST(Graph, AHundredLevelsAreAllowedAndOneMoreIsNot) {
  EXPECT_TRUE(check_depth(1).ok());
  EXPECT_TRUE(check_depth(100).ok());
  ASSERT_FALSE(check_depth(101).ok());
  EXPECT_EQ(check_depth(101).error(), kTooDeep);
}

TEST(Graph, AJobThatWaitsForItselfIsACycle) {
  Nodes nodes(2);
  nodes[0].inside = {0};
  const GraphPlan plan = plan_batch(nodes);
  EXPECT_EQ(plan.refused[0], kCycle);
  EXPECT_EQ(plan.refused[1], std::nullopt);
  EXPECT_EQ(plan.order, (Numbers{1}));
}

TEST(Graph, EveryJobOnACycleIsNamed) {
  Nodes nodes(5);
  nodes[0].inside = {2};
  nodes[1].inside = {0};
  nodes[2].inside = {1};
  nodes[3].inside = {4};
  const GraphPlan plan = plan_batch(nodes);
  EXPECT_EQ(plan.refused[0], kCycle);
  EXPECT_EQ(plan.refused[1], kCycle);
  EXPECT_EQ(plan.refused[2], kCycle);
  EXPECT_EQ(plan.refused[3], std::nullopt);
  EXPECT_EQ(plan.refused[4], std::nullopt);
  EXPECT_EQ(plan.order, (Numbers{4, 3}));
}

TEST(Graph, WhoOnlyWaitsForACycleIsNotOnIt) {
  Nodes nodes(6);
  nodes[0].inside = {1};
  nodes[1].inside = {0, 5};
  nodes[2].inside = {1};
  nodes[3].inside = {2};
  nodes[4].inside = {3, 5};
  const GraphPlan plan = plan_batch(nodes);
  EXPECT_EQ(plan.refused[0], kCycle);
  EXPECT_EQ(plan.refused[1], kCycle);
  EXPECT_EQ(plan.refused[2], kRefusedParent);
  EXPECT_EQ(plan.refused[3], kRefusedParent);
  EXPECT_EQ(plan.refused[4], kRefusedParent);
  EXPECT_EQ(plan.refused[5], std::nullopt);
  EXPECT_EQ(plan.order, (Numbers{5}));
}

// The search comes to the cycle through the job that is not on it.
TEST(Graph, WhoWaitsForACycleThatComesLaterIsNotOnIt) {
  Nodes nodes(3);
  nodes[0].inside = {1};
  nodes[1].inside = {2};
  nodes[2].inside = {1};
  const GraphPlan plan = plan_batch(nodes);
  EXPECT_EQ(plan.refused[0], kRefusedParent);
  EXPECT_EQ(plan.refused[1], kCycle);
  EXPECT_EQ(plan.refused[2], kCycle);
}

TEST(Graph, TwoCyclesAreFoundBoth) {
  Nodes nodes(4);
  nodes[0].inside = {1};
  nodes[1].inside = {0};
  nodes[2].inside = {3};
  nodes[3].inside = {2};
  EXPECT_EQ(refused_count(plan_batch(nodes)), 4);
  for (const auto& one : plan_batch(nodes).refused)
    EXPECT_EQ(one, kCycle);
}

TEST(Graph, AWideBatchIsPlannedWhole) {
  Nodes nodes(1'001);
  for (int i = 0; i < 1'000; ++i)
    nodes[1'000].inside.push_back(i);
  const GraphPlan plan = plan_batch(nodes);
  EXPECT_EQ(refused_count(plan), 0);
  EXPECT_EQ(plan.order.back(), 1'000);
}

RC_GTEST_PROP(GraphProperty, EveryJobIsEitherPlacedAfterItsDependenciesOrRefused, ()) {
  const int size = *rc::gen::inRange(1, 12);
  Nodes nodes(static_cast<std::size_t>(size));
  for (GraphNode& node : nodes) {
    node.inside = *rc::gen::container<std::vector<int>>(*rc::gen::inRange<std::size_t>(0, 3),
                                                        rc::gen::inRange(0, size));
  }
  const GraphPlan plan = plan_batch(nodes);
  std::vector<int> place(nodes.size(), -1);
  for (std::size_t i = 0; i < plan.order.size(); ++i)
    place[static_cast<std::size_t>(plan.order[i])] = static_cast<int>(i);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    RC_ASSERT(plan.refused[i].has_value() == (place[i] < 0));
    if (place[i] < 0) continue;
    for (const int dependency : nodes[i].inside) {
      const auto at = static_cast<std::size_t>(dependency);
      RC_ASSERT(place[at] >= 0);
      RC_ASSERT(place[at] < place[i]);
    }
  }
}

}  // namespace
}  // namespace baton::lifecycle
