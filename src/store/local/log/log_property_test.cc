// Any order of appends, releases, crashes and deaths, on a disk that may stop at any moment.
#include <gtest/gtest.h>
// After gtest.
#include <rapidcheck/gtest.h>

#include "store/local/log/testing.h"

namespace baton::store::local {
namespace {

using testbed::Subject;

enum class Act { kAppend, kAppendLater, kFlush, kRelease, kCrash, kKill, kReopen };

struct Step {
  Act act = Act::kAppend;
  std::uint64_t amount = 0;      // of bytes, or of turns behind
  std::uint64_t stop_after = 0;  // operations until the disk stops; 0: it does not
};

[[maybe_unused]] void showValue(const Step& step, std::ostream& out) {
  out << "{act " << static_cast<int>(step.act) << ", amount " << step.amount << ", stop after "
      << step.stop_after << "}";
}

rc::Gen<Step> any_step() {
  const auto act = rc::gen::weightedElement<Act>({{8, Act::kAppend},
                                                  {4, Act::kAppendLater},
                                                  {1, Act::kFlush},
                                                  {4, Act::kRelease},
                                                  {2, Act::kCrash},
                                                  {2, Act::kKill},
                                                  {1, Act::kReopen}});
  const auto size =
      rc::gen::weightedOneOf<std::uint64_t>({{6, rc::gen::inRange<std::uint64_t>(0, 6000)},
                                             {2, rc::gen::inRange<std::uint64_t>(0, 20'000)},
                                             {1, rc::gen::just<std::uint64_t>(4040)}});
  const auto stop = rc::gen::weightedOneOf<std::uint64_t>(
      {{9, rc::gen::just<std::uint64_t>(0)}, {1, rc::gen::inRange<std::uint64_t>(1, 12)}});
  return rc::gen::build<Step>(rc::gen::set(&Step::act, act), rc::gen::set(&Step::amount, size),
                              rc::gen::set(&Step::stop_after, stop));
}

bool act(Subject& log, const Step& step) {
  switch (step.act) {
    case Act::kAppend:
      return log.append(step.amount, true);
    case Act::kAppendLater:
      return log.append(step.amount, false);
    case Act::kFlush:
      return log.flush();
    case Act::kRelease:
      return log.release(step.amount % 5);
    case Act::kCrash:
      log.crash();
      return log.open();
    case Act::kKill:
      log.kill();
      return log.open();
    case Act::kReopen:
      if (!log.flush()) return false;
      log.close();
      return log.open();
  }
  return false;
}

// What went wrong, or nothing.
std::string run(std::uint64_t seed, const std::vector<Step>& steps) {
  Subject log(seed);
  log.open();
  base::Random random(seed);
  for (const Step& step : steps) {
    if (step.stop_after != 0) log.disk.stop_at(log.disk.operations() + step.stop_after);
    bool goes_on = act(log, step);
    while (!goes_on && log.fault.empty()) {
      random.below(2) == 0 ? log.crash() : log.kill();
      // The next stop may come while the log is opened.
      if (random.below(4) == 0) log.disk.stop_at(log.disk.operations() + 1 + random.below(20));
      goes_on = log.open();
    }
    if (!log.fault.empty()) return log.fault;
  }
  log.crash();
  log.open();
  return log.fault;
}

RC_GTEST_PROP(LogProperty, KeepsItsPromisesInAnyOrderOfEvents, ()) {
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto steps = *rc::gen::container<std::vector<Step>>(any_step());
  RC_ASSERT(run(seed, steps) == "");
}

// Longer than RapidCheck makes them, and many: only the seed varies.
TEST(LogProperty, KeepsItsPromisesForLong) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    base::Random random(seed);
    std::vector<Step> steps(200);
    for (Step& step : steps) {
      step.act = static_cast<Act>(random.below(7));
      if (random.below(2) == 0) step.act = Act::kAppend;
      step.amount = random.below(random.below(8) == 0 ? 20'000 : 5'000);
      step.stop_after = random.below(8) == 0 ? 1 + random.below(12) : 0;
    }
    ASSERT_EQ(run(seed, steps), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace baton::store::local
