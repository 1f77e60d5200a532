// What happens beside the rows when a job commits or ends, and how refusals speak.
#include <array>

#include "lifecycle/step.h"
#include "lifecycle/testing.h"

namespace baton::lifecycle::testbed {
namespace {

using enum Effect;

constexpr std::array kEffects = {kCaptureCredits, kReleaseCredits,   kMakeChildren,
                                 kDropChildren,   kSettleDependents, kSendWebhook,
                                 kLeaveQuota,     kAuditSafeBlock};

Effects all_of(std::initializer_list<Effect> list) {
  Effects effects;
  for (Effect effect : list)
    effects.add(effect);
  return effects;
}

// A job that is owed everything: a webhook, a place in a quota, credits and staged children.
Create in_full() {
  Create event = costing(7);
  event.has_callback = true;
  return event;
}

struct Way {
  std::string_view name;
  void (*go)(Life&);
  std::initializer_list<Effect> effects;
  Amount credits;
};

const Way kWays[] = {
    {"claim", [](Life& life) { life.claim(); }, {}, 0},
    {"start", [](Life& life) { life.claim().start(); }, {}, 0},
    {"spawn", [](Life& life) { life.claim().call(CallKind::kSpawn); }, {}, 0},
    {"commit",
     [](Life& life) { life.claim().start().commit(); },
     {kCaptureCredits, kMakeChildren},
     7},
    {"done",
     [](Life& life) { life.claim().start().commit().done(); },
     {kSettleDependents, kSendWebhook, kLeaveQuota},
     0},
    {"ack",
     [](Life& life) { life.claim().ack(); },
     {kCaptureCredits, kMakeChildren, kSettleDependents, kSendWebhook, kLeaveQuota},
     7},
    {"ack after staging",
     [](Life& life) { life.claim().call(CallKind::kSpawn).ack(); },
     {kCaptureCredits, kMakeChildren, kSettleDependents, kSendWebhook, kLeaveQuota},
     7},
    {"retry", [](Life& life) { life.claim().nack(); }, {}, 0},
    {"retry after staging",
     [](Life& life) { life.claim().call(CallKind::kSpawn).nack(); },
     {kDropChildren},
     0},
    {"retry after an upload",
     [](Life& life) { life.claim().call(CallKind::kAsset).nack(); },
     {},
     0},
    {"second retry after staging in the first",
     [](Life& life) { life.claim().call(CallKind::kSpawn).nack().wait(seconds(2)).claim().nack(); },
     {},
     0},
    {"permanent failure",
     [](Life& life) { life.claim().nack(FailureCategory::kPermanent); },
     {kReleaseCredits, kSettleDependents, kSendWebhook, kLeaveQuota},
     7},
    {"permanent failure after staging",
     [](Life& life) { life.claim().call(CallKind::kSpawn).nack(FailureCategory::kPermanent); },
     {kReleaseCredits, kDropChildren, kSettleDependents, kSendWebhook, kLeaveQuota},
     7},
    {"cancel",
     [](Life& life) { life.cancel(); },
     {kReleaseCredits, kSettleDependents, kSendWebhook, kLeaveQuota},
     7},
    {"forced cancel after staging",
     [](Life& life) {
       life.claim().call(CallKind::kSpawn).then(Cancel{true, {}});
     },
     {kReleaseCredits, kDropChildren, kSettleDependents, kSendWebhook, kLeaveQuota},
     7},
    {"lifetime",
     [](Life& life) { life.wait(days(7)); },
     {kReleaseCredits, kSettleDependents, kSendWebhook, kLeaveQuota},
     7},
    {"rejection by an operator",
     [](Life& life) { life.then(Reject{}); },
     {kCaptureCredits, kAuditSafeBlock, kSettleDependents, kSendWebhook, kLeaveQuota},
     7},
    {"rejection by the worker after staging",
     [](Life& life) { life.claim().call(CallKind::kSpawn).call(CallKind::kReject); },
     {kCaptureCredits, kAuditSafeBlock, kDropChildren, kSettleDependents, kSendWebhook,
      kLeaveQuota},
     7},
};

TEST(Effects, OfAJobThatIsOwedEverything) {
  for (const Way& way : kWays) {
    Life life("generation");
    way.go(life.create(in_full()));
    for (Effect effect : kEffects) {
      EXPECT_EQ(life.last.effects.has(effect), all_of(way.effects).has(effect))
          << way.name << ", effect " << static_cast<int>(effect);
    }
    EXPECT_EQ(life.last.effects, all_of(way.effects)) << way.name;
    EXPECT_EQ(life.last.credits, way.credits) << way.name;
  }
}

// Who owes nothing is sent nothing: no webhook, no quota, no credits to move.
TEST(Effects, OfAJobThatIsOwedNothing) {
  for (const Way& way : kWays) {
    Life life("generation");
    way.go(life.create());
    for (Effect effect : {kCaptureCredits, kReleaseCredits, kSendWebhook, kLeaveQuota})
      EXPECT_FALSE(life.last.effects.has(effect)) << way.name;
    for (Effect effect : {kMakeChildren, kDropChildren, kSettleDependents, kAuditSafeBlock})
      EXPECT_EQ(life.last.effects.has(effect), all_of(way.effects).has(effect)) << way.name;
    EXPECT_EQ(life.last.credits, 0) << way.name;
  }
}

TEST(Effects, CreditsAreMovedOnce) {
  for (const Way& way : kWays) {
    Life life("generation");
    way.go(life.create(in_full()));
    const bool moved = is_terminal(life.job.state) || is_committed(life.job);
    EXPECT_EQ(life.job.held, moved ? 0 : 7) << way.name;
  }
}

TEST(Effects, OfASingleCreditAreTheSame) {
  Life committed("generation");
  committed.create(costing(1)).claim().start().commit();
  EXPECT_TRUE(committed.last.effects.has(kCaptureCredits));
  EXPECT_EQ(committed.last.credits, 1);
  Life cancelled("generation");
  cancelled.create(costing(1)).cancel();
  EXPECT_TRUE(cancelled.last.effects.has(kReleaseCredits));
  EXPECT_EQ(cancelled.last.credits, 1);
}

TEST(Effects, OfADependencyThatEndedBadlyReleaseTheCredits) {
  Life life("generation");
  Create event = in_full();
  event.dependencies = Verdict::bad(JobState::kCancelled);
  life.create(event);
  EXPECT_EQ(life.last.effects,
            all_of({kReleaseCredits, kSettleDependents, kSendWebhook, kLeaveQuota}));
  EXPECT_EQ(life.last.credits, 7);
}

TEST(Effects, OfACallbackThatWasTakenAway) {
  Life life("standard");
  life.create(in_full()).then(Patch{{}, false, false, {}}).cancel();
  EXPECT_FALSE(life.last.effects.has(kSendWebhook));
}

TEST(Effects, AreASet) {
  Effects effects;
  EXPECT_TRUE(effects.empty());
  effects.add(kSendWebhook);
  effects.add(kSendWebhook);
  EXPECT_EQ(effects, all_of({kSendWebhook}));
  EXPECT_FALSE(effects.empty());
  effects.add(kLeaveQuota);
  EXPECT_EQ(effects, all_of({kLeaveQuota, kSendWebhook}));
  EXPECT_FALSE(effects.has(kDropChildren));
}

// What a person reads, and the field that is to blame.
struct Spoken {
  std::string_view profile;
  void (*reach)(Life&);
  Event event;
  std::string_view message;
  std::string_view field;
};

Event holder_of_first(CallKind kind, std::optional<Duration> retry_after = {}) {
  Call call;
  call.kind = kind;
  call.attempt = 1;
  call.token = token_of(1);
  call.retry_after = retry_after;
  return call;
}

void scheduled(Life& life) { life.create(); }
void claimed(Life& life) { life.create().claim(); }
void committed(Life& life) { life.create().claim().start().commit(); }
void completed(Life& life) { life.create().claim().ack(); }

const Spoken kSpoken[] = {
    {"standard", scheduled, Submit{}, "a job in state SCHEDULED cannot be submitted", ""},
    {"standard", scheduled, Create{}, "a job in state SCHEDULED cannot be created", ""},
    {"standard", scheduled, DependenciesSettled{},
     "a job in state SCHEDULED cannot be released by its dependencies", ""},
    {"standard", scheduled, TimerDue{Timer::kWake},
     "a job in state SCHEDULED cannot be moved by that timer", ""},
    {"standard", claimed, Claim{}, "a job in state RUNNING cannot be claimed", ""},
    {"standard", completed, Cancel{}, "a job in state COMPLETED cannot be cancelled", ""},
    {"standard", committed, Cancel{}, "an execution of the job has committed", ""},
    {"standard", scheduled, Reject{}, "profile standard has no moderation", ""},
    {"lease", claimed, holder_of_first(CallKind::kReject), "profile lease has no moderation", ""},
    {"generation", claimed, Reject{}, "a job in state RUNNING cannot be rejected", ""},
    {"standard", completed, Patch{}, "a job in state COMPLETED cannot be changed", ""},
    {"standard", claimed, Patch{Priority::kHigh, {}, false, {}},
     "a job in state RUNNING cannot be given another priority", "priority"},
    {"standard", completed, Redrive{}, "a job in state COMPLETED cannot be redriven", ""},
    {"standard", claimed, Delete{}, "a job in state RUNNING cannot be deleted", ""},
    {"standard", claimed, holder_of_first(CallKind::kCancelled),
     "nobody asked for the job to be cancelled", ""},
    {"standard", claimed, holder_of_first(CallKind::kCommit),
     "the execution must be started and committed first", ""},
    {"standard", committed, holder_of_first(CallKind::kNack),
     "an execution of the job has committed", ""},
    {"standard", scheduled, holder_of_first(CallKind::kAck),
     "the lease is not held any more, or the token is wrong", ""},
    {"document", claimed, holder_of_first(CallKind::kNack, seconds(5)),
     "profile document has a fixed backoff", "retry_after_ms"},
};

TEST(Refusals, SayWhatIsWrongAndWhichFieldIsToBlame) {
  for (const Spoken& row : kSpoken) {
    Life life(row.profile);
    row.reach(life);
    const auto result = life.try_to(row.event);
    ASSERT_FALSE(result.ok()) << row.message;
    EXPECT_EQ(result.error().message, row.message);
    EXPECT_EQ(result.error().field, row.field) << row.message;
    EXPECT_EQ(result.error().retry_after, Duration{}) << row.message;
  }
}

TEST(Refusals, OfADraftNameTheField) {
  for (std::string_view profile : {"standard", "commit", "generation", "lease"}) {
    Life life(profile);
    Create draft = as_draft();
    draft.terms = life.terms.get();
    const auto result = life.try_to(draft);
    ASSERT_FALSE(result.ok()) << profile;
    EXPECT_EQ(result.error().code, Code::kNotInProfile) << profile;
    EXPECT_EQ(result.error().field, "draft") << profile;
    EXPECT_EQ(result.error().message, "profile " + std::string(profile) + " has no drafts");
  }
}

TEST(Refusals, ChangeNothing) {
  for (const Spoken& row : kSpoken) {
    Life life(row.profile);
    row.reach(life);
    const JobFacts before = life.job;
    EXPECT_FALSE(life.try_to(row.event).ok());
    EXPECT_EQ(life.job, before) << row.message;
  }
}

TEST(Moves, NeedARowInTheTableAndAWordInTheProfile) {
  Life standard("standard");
  standard.create();
  const lifecycle::Step here(standard.job, Actor::kSystem, kStart, 0);
  EXPECT_TRUE(here.can_move(JobState::kRunning, Trigger::kClaim));
  EXPECT_FALSE(here.can_move(JobState::kRunning, Trigger::kDue));
  EXPECT_FALSE(here.can_move(JobState::kRejected, Trigger::kReject));
  Life generation("generation");
  generation.create();
  const lifecycle::Step there(generation.job, Actor::kSystem, kStart, 0);
  EXPECT_TRUE(there.can_move(JobState::kRejected, Trigger::kReject));
}

TEST(MovesDeathTest, OutsideTheTableStopTheProcess) {
  Life life("standard");
  life.create();
  lifecycle::Step step(life.job, Actor::kSystem, kStart, 0);
  EXPECT_DEATH(step.move(JobState::kCompleted, Trigger::kDone), "can_move");
}

}  // namespace
}  // namespace baton::lifecycle::testbed
