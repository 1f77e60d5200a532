// Accounts: how many jobs they may have, and what their jobs cost. After every step the oracle
// replays every ledger, so the tests below only say what should have moved.
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

Balance balance(Amount available, Amount reserved, Amount captured) {
  return {available + reserved + captured, available, reserved, captured};
}

// As text, so that a failure can be read.
std::string text_of(const Balance& b) {
  return std::to_string(b.available) + " available, " + std::to_string(b.reserved) + " reserved, " +
         std::to_string(b.captured) + " captured of " + std::to_string(b.granted);
}

#define EXPECT_BALANCE(id, available, reserved, captured) \
  EXPECT_EQ(text_of(account(id).balance), text_of(balance(available, reserved, captured)))

std::string kinds_of(const std::vector<LedgerEntry>& entries) {
  std::string text;
  for (const LedgerEntry& entry : entries) {
    text += (text.empty() ? "" : " ") + std::string(name(entry.kind)) + ":" +
            std::to_string(entry.amount);
  }
  return text;
}

// ---- Quota ------------------------------------------------------------------------------------

TEST_P(Quota, AGuestHasFiveActiveJobs) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(code_of(submit(spec)), "ok") << i;
  const auto refused = submit(spec);
  EXPECT_EQ(code_of(refused), "quota_exceeded");
  EXPECT_GT(refused.error().retry_after, Duration{}) << "when to ask again";
  EXPECT_EQ(account("ann").active_jobs, 5);
}

TEST_P(Quota, ATierRaisesBothLimits) {
  const std::string queue = use_profile("generation");
  give("ann", 0, Tier::kUser);
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  make_all(times(50, spec));
  EXPECT_EQ(code_of(submit(spec)), "quota_exceeded");
  give("ann", 0, Tier::kPro);
  make_all(times(450, spec));
  EXPECT_EQ(code_of(submit(spec)), "quota_exceeded");
}

TEST_P(Quota, AnEndedJobIsNotActiveButStillCountsForTheHour) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  for (int i = 0; i < 5; ++i)
    completed(spec);
  EXPECT_EQ(account("ann").active_jobs, 0);
  const auto refused = submit(spec);
  EXPECT_EQ(code_of(refused), "quota_exceeded");
  EXPECT_EQ(refused.error().retry_after, hours(1));
}

TEST_P(Quota, TheHourSlides) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  for (int i = 0; i < 5; ++i) {
    completed(spec);
    advance(minutes(10));
  }
  // 0, 10, 20, 30 and 40 minutes have one each; it is minute 50.
  EXPECT_EQ(code_of(submit(spec)), "quota_exceeded");
  EXPECT_EQ(submit(spec).error().retry_after, minutes(10));
  advance(minutes(10) + milliseconds(-1));
  EXPECT_EQ(code_of(submit(spec)), "quota_exceeded");
  EXPECT_EQ(submit(spec).error().retry_after, milliseconds(1));
  advance(milliseconds(1));
  completed(spec);
  EXPECT_EQ(code_of(submit(spec)), "quota_exceeded") << "the next place is free at minute 70";
  advance(minutes(10));
  EXPECT_EQ(code_of(submit(spec)), "ok");
}

TEST_P(Quota, ActiveJobsCountHoweverOldTheyAre) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  for (int i = 0; i < 5; ++i)
    make(spec);
  advance(hours(2));
  EXPECT_EQ(code_of(submit(spec)), "quota_exceeded");
  ASSERT_EQ(code_of(ack(claim_one(queue))), "ok");
  EXPECT_EQ(code_of(submit(spec)), "ok");
}

TEST_P(Quota, EveryEndFreesAPlace) {
  const std::string queue = use_profile("generation");
  give("ann", 0, Tier::kUser);
  const auto spec = [&](const char* type) {
    return Spec(type).queue(queue).account("ann").lease(seconds(5)).attempts(1);
  };
  const ClaimedJob nacked = running(spec("nacked"));
  const ClaimedJob lost = running(spec("lost"));
  const ClaimedJob rejected = running(spec("rejected"));
  const ClaimedJob acked = running(spec("acked"));
  const JobId waiting = make(spec("waiting"));
  const JobId mortal = make(spec("mortal").lifetime(seconds(5)));
  const JobId dependent = make(spec("dependent").after({waiting}));
  EXPECT_EQ(account("ann").active_jobs, 7);
  ASSERT_EQ(code_of(nack(nacked)), "ok");
  EXPECT_EQ(account("ann").active_jobs, 6);
  ASSERT_EQ(code_of(reject(rejected)), "ok");
  EXPECT_EQ(account("ann").active_jobs, 5);
  ASSERT_EQ(code_of(ack(acked)), "ok");
  EXPECT_EQ(account("ann").active_jobs, 4);
  ASSERT_EQ(code_of(cancel(waiting)), "ok");
  EXPECT_EQ(account("ann").active_jobs, 2) << "the dependent ended with it";
  advance(seconds(5));
  EXPECT_EQ(account("ann").active_jobs, 0);
  EXPECT_EQ(state_of(lost.job), "DEAD_LETTER");
  EXPECT_EQ(state_of(mortal), "DEAD_LETTER");
  EXPECT_EQ(state_of(dependent), "CANCELLED");
}

TEST_P(Quota, ACommittedJobIsActiveUntilItIsDone) {
  const std::string queue = use_profile("generation");
  const ClaimedJob claimed = committed(Spec().queue(queue).account("ann"));
  EXPECT_EQ(account("ann").active_jobs, 1);
  ASSERT_EQ(code_of(done(claimed)), "ok");
  EXPECT_EQ(account("ann").active_jobs, 0);
}

TEST_P(Quota, AccountsDoNotShareTheirQuota) {
  const std::string queue = use_profile("generation");
  for (int i = 0; i < 5; ++i)
    make(Spec().queue(queue).account("ann").no_key());
  EXPECT_EQ(code_of(submit(Spec().queue(queue).account("bob").no_key())), "ok");
}

TEST_P(Quota, WithoutAnAccountThereIsNone) {
  const std::string queue = use_profile("generation");
  make_all(times(20, Spec().queue(queue).no_key()));
}

TEST_P(Quota, OtherProfilesHaveNone) {
  for (const char* profile : {"standard", "document", "commit", "lease"}) {
    make_all(times(6, Spec().queue(use_profile(profile)).account("ann")));
    EXPECT_EQ(account("ann").active_jobs, 0) << profile;
  }
}

TEST_P(Quota, ABatchCountsItsOwnJobs) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  const auto atomic = submit_batch(times(6, spec));
  ASSERT_TRUE(atomic.ok() && atomic->refused);
  EXPECT_EQ(atomic->refused->index, 5u);
  EXPECT_EQ(name(atomic->refused->error.code), "quota_exceeded");
  EXPECT_EQ(account("ann").active_jobs, 0) << "nothing was made, nothing is counted";
  const auto each = submit_batch(times(6, spec), {.atomic = false});
  ASSERT_TRUE(each.ok());
  EXPECT_EQ(code_of(each->results[4]), "ok");
  EXPECT_EQ(code_of(each->results[5]), "quota_exceeded");
  EXPECT_EQ(account("ann").active_jobs, 5);
}

TEST_P(Quota, ARefusedSubmissionIsNotCounted) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(code_of(submit(Spec(spec).cost(1))), "insufficient_credits");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(code_of(submit(spec)), "ok");
}

TEST_P(Quota, TheGuardsApplyInTheirOrder) {
  const std::string queue = use_profile("generation");
  for (int i = 0; i < 5; ++i)
    make(Spec().queue(queue).account("ann").no_key());
  EXPECT_EQ(code_of(submit(Spec("").queue(queue).account("ann").cost(9).no_key())), "invalid_job");
  EXPECT_EQ(code_of(submit(Spec().queue(queue).account("ann").cost(9).no_key())), "quota_exceeded");
}

TEST_P(Quota, ARedriveIsCountedAgain) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  const JobId old = failed(spec);
  for (int i = 0; i < 4; ++i)
    make(spec);
  EXPECT_EQ(code_of(redrive(old)), "quota_exceeded");
  advance(hours(1));
  const auto copy = redrive(old);
  ASSERT_EQ(code_of(copy), "ok");
  EXPECT_EQ(account("ann").active_jobs, 5);
  EXPECT_EQ(code_of(redrive({.id = old, .again = true})), "quota_exceeded");
}

// ---- Credits ----------------------------------------------------------------------------------

TEST_P(Credits, AnAccountNobodyMadeIsAGuestWithNothing) {
  const Account record = account("nobody");
  EXPECT_EQ(record.id, "nobody");
  EXPECT_EQ(record.tier, Tier::kGuest);
  EXPECT_EQ(text_of(record.balance), text_of(balance(0, 0, 0)));
  EXPECT_TRUE(entries("nobody").empty());
}

TEST_P(Credits, AGrantAddsUp) {
  give("ann", 10, Tier::kPro);
  give("ann", 5, Tier::kPro);
  EXPECT_BALANCE("ann", 15, 0, 0);
  EXPECT_EQ(account("ann").tier, Tier::kPro);
  EXPECT_EQ(kinds_of(entries("ann")), "grant:10 grant:5");
}

TEST_P(Credits, AGrantWithoutATierLeavesTheTier) {
  give("ann", 1, Tier::kPro);
  GrantCredits more;
  more.account = "ann";
  more.amount = 1;
  ASSERT_EQ(code_of(grant(more)), "ok");
  EXPECT_EQ(account("ann").tier, Tier::kPro);
}

TEST_P(Credits, AGrantOfNothingOnlyChangesTheTier) {
  give("ann", 0, Tier::kUser);
  EXPECT_EQ(account("ann").tier, Tier::kUser);
  EXPECT_TRUE(entries("ann").empty());
}

TEST_P(Credits, AGrantWithTheSameKeyIsMadeOnce) {
  GrantCredits command;
  command.account = "ann";
  command.amount = 10;
  command.idempotency_key = "order 7";
  ASSERT_EQ(code_of(grant(command)), "ok");
  command.amount = 99;
  const auto again = grant(command);
  ASSERT_EQ(code_of(again), "ok");
  EXPECT_EQ(again->balance.granted, 10);
  EXPECT_EQ(entries("ann").size(), 1u);
  command.idempotency_key = "order 8";
  ASSERT_EQ(code_of(grant(command)), "ok");
  EXPECT_BALANCE("ann", 109, 0, 0);
}

TEST_P(Credits, AGrantsKeyBelongsToItsAccount) {
  GrantCredits command;
  command.account = "ann";
  command.amount = 10;
  command.idempotency_key = "k";
  ASSERT_EQ(code_of(grant(command)), "ok");
  command.account = "bob";
  ASSERT_EQ(code_of(grant(command)), "ok");
  EXPECT_BALANCE("bob", 10, 0, 0);
}

TEST_P(Credits, AnAmountOutOfRangeIsRefused) {
  GrantCredits command;
  command.account = "ann";
  command.amount = -1;
  EXPECT_EQ(code_of(grant(command)), "invalid_job");
  command.amount = lifecycle::kMaxAmount + 1;
  EXPECT_EQ(code_of(grant(command)), "invalid_job");
  command.amount = lifecycle::kMaxAmount;
  EXPECT_EQ(code_of(grant(command)), "ok");
  command.amount = 1;
  EXPECT_EQ(code_of(grant(command)), "invalid_job") << "the sum has a limit too";
  EXPECT_BALANCE("ann", lifecycle::kMaxAmount, 0, 0);
}

TEST_P(Credits, ASubmissionReservesItsCost) {
  give("ann", 10);
  make(Spec().account("ann").cost(4));
  EXPECT_BALANCE("ann", 6, 4, 0);
  EXPECT_EQ(kinds_of(entries("ann")), "grant:10 reserve:4");
}

TEST_P(Credits, TheLastCreditMayBeSpentAndNotOneMore) {
  give("ann", 10);
  EXPECT_EQ(code_of(submit(Spec().account("ann").cost(11))), "insufficient_credits");
  EXPECT_EQ(code_of(submit(Spec().account("ann").cost(10))), "ok");
  EXPECT_EQ(code_of(submit(Spec().account("ann").cost(1))), "insufficient_credits");
  EXPECT_EQ(code_of(submit(Spec().account("ann").cost(0))), "ok");
  EXPECT_BALANCE("ann", 0, 10, 0);
}

TEST_P(Credits, AnUnknownAccountHasNothingToSpend) {
  EXPECT_EQ(code_of(submit(Spec().account("nobody").cost(1))), "insufficient_credits");
  EXPECT_EQ(code_of(submit(Spec().account("nobody").cost(0))), "ok");
}

TEST_P(Credits, TheCommitCapturesOnce) {
  give("ann", 10);
  const ClaimedJob claimed = committed(Spec().account("ann").cost(4));
  EXPECT_BALANCE("ann", 6, 0, 4);
  ASSERT_EQ(code_of(commit(claimed)), "ok");
  ASSERT_EQ(code_of(done(claimed)), "ok");
  ASSERT_EQ(code_of(ack(claimed)), "ok");
  EXPECT_BALANCE("ann", 6, 0, 4);
  EXPECT_EQ(kinds_of(entries("ann")), "grant:10 reserve:4 capture:4");
}

TEST_P(Credits, AnAckCaptures) {
  give("ann", 10);
  completed(Spec().account("ann").cost(4));
  EXPECT_BALANCE("ann", 6, 0, 4);
}

TEST_P(Credits, ARetryKeepsTheReservation) {
  give("ann", 10);
  const ClaimedJob claimed = running(Spec().account("ann").cost(4).constant(Duration{}));
  ASSERT_EQ(code_of(nack(claimed)), "ok");
  EXPECT_BALANCE("ann", 6, 4, 0);
  complete(claimed.job);
  EXPECT_EQ(kinds_of(entries("ann")), "grant:10 reserve:4 capture:4");
}

TEST_P(Credits, EveryBadEndButARejectionReleases) {
  give("ann", 100);
  const auto spec = [](const char* type) { return Spec(type).account("ann").cost(10); };
  failed(spec("failed"));
  EXPECT_BALANCE("ann", 100, 0, 0);
  dead_lettered(spec("dead"));
  EXPECT_BALANCE("ann", 100, 0, 0);
  cancelled(spec("cancelled"));
  EXPECT_BALANCE("ann", 100, 0, 0);
  make(spec("mortal").lifetime(seconds(5)));
  running(spec("lost").lease(seconds(5)).attempts(1));
  const JobId first = make(spec("first"));
  make(spec("dependent").after({first}));
  EXPECT_BALANCE("ann", 60, 40, 0);
  advance(seconds(5));
  EXPECT_BALANCE("ann", 80, 20, 0);
  ASSERT_EQ(code_of(cancel(first)), "ok");
  EXPECT_BALANCE("ann", 100, 0, 0);
}

TEST_P(Credits, ARejectionByTheWorkerCaptures) {
  give("ann", 10);
  const std::string queue = use_profile("generation");
  const ClaimedJob claimed = running(Spec().queue(queue).account("ann").cost(4));
  ASSERT_EQ(code_of(reject(claimed)), "ok");
  EXPECT_BALANCE("ann", 6, 0, 4);
}

TEST_P(Credits, ARejectionByAnOperatorCaptures) {
  give("ann", 10);
  const std::string queue = use_profile("generation");
  const JobId id = make(Spec().queue(queue).account("ann").cost(4));
  ASSERT_EQ(code_of(reject_job(id)), "ok");
  EXPECT_BALANCE("ann", 6, 0, 4);
}

TEST_P(Credits, ADependencyThatEndsBadlyAtCreationReleasesAtOnce) {
  give("ann", 10);
  const JobId bad = failed(Spec("bad"));
  const JobId id = make(Spec().account("ann").cost(4).after({bad}));
  EXPECT_EQ(state_of(id), "FAILED");
  EXPECT_BALANCE("ann", 10, 0, 0);
}

TEST_P(Credits, ARedriveReservesAgain) {
  give("ann", 10);
  const JobId old = failed(Spec().account("ann").cost(6));
  const auto copy = redrive(old);
  ASSERT_EQ(code_of(copy), "ok");
  EXPECT_BALANCE("ann", 4, 6, 0);
  EXPECT_EQ(code_of(redrive({.id = old, .again = true})), "insufficient_credits");
  complete(copy->id);
  EXPECT_BALANCE("ann", 4, 0, 6);
}

TEST_P(Credits, AnAtomicBatchThatCannotBePaidReservesNothing) {
  give("ann", 10);
  const auto answer = submit_batch(times(3, Spec().account("ann").cost(4)));
  ASSERT_TRUE(answer.ok() && answer->refused);
  EXPECT_EQ(answer->refused->index, 2u);
  EXPECT_EQ(name(answer->refused->error.code), "insufficient_credits");
  EXPECT_BALANCE("ann", 10, 0, 0);
  EXPECT_EQ(kinds_of(entries("ann")), "grant:10");
}

TEST_P(Credits, ABatchThatIsNotAtomicReservesForWhatItMakes) {
  give("ann", 10);
  const auto answer = submit_batch(
      {Spec().account("ann").cost(8), Spec().account("ann").cost(8), Spec().account("ann").cost(2)},
      {.atomic = false});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(code_of(answer->results[1]), "insufficient_credits");
  EXPECT_EQ(code_of(answer->results[2]), "ok") << "it fits into what is left";
  EXPECT_BALANCE("ann", 0, 10, 0);
}

TEST_P(Credits, EntriesNameTheJobAndTheTime) {
  give("ann", 10);
  pass(seconds(5));
  const JobId id = make(Spec().account("ann").cost(4));
  const auto all = entries("ann");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0].job.is_nil());
  EXPECT_EQ(all[1].job, id);
  EXPECT_EQ(all[1].at, now());
  EXPECT_EQ(all[1].at, all[0].at + seconds(5));
}

TEST_P(Credits, DeletingAJobLeavesItsEntries) {
  give("ann", 10);
  const JobId id = completed(Spec().account("ann").cost(4));
  ASSERT_EQ(code_of(remove(id)), "ok");
  EXPECT_EQ(kinds_of(entries("ann")), "grant:10 reserve:4 capture:4");
  EXPECT_BALANCE("ann", 6, 0, 4);
}

TEST_P(Credits, ManyJobsOfManyAccountsBalance) {
  for (const char* name : {"a", "b", "c"})
    give(name, 100, Tier::kPro);
  std::vector<Spec> specs;
  for (int i = 0; i < 30; ++i)
    specs.push_back(Spec().account(std::string(1, static_cast<char>('a' + i % 3))).cost(1 + i % 5));
  make_all(specs);
  int turn = 0;
  for (const ClaimedJob& claimed : claim({.max = 30})) {
    switch (turn++ % 4) {
      case 0:
        ASSERT_EQ(code_of(ack(claimed)), "ok");
        break;
      case 1:
        ASSERT_EQ(code_of(nack(claimed)), "ok");
        break;
      case 2:
        ASSERT_EQ(code_of(nack(claimed, FailureCategory::kPermanent)), "ok");
        break;
      default:
        ASSERT_EQ(code_of(cancel(claimed.job, true)), "ok");
        break;
    }
    audit();
  }
}

TEST_P(Quota, AJobThatEndsAtItsCreationLeavesItsPlaceToTheNextOfTheBatch) {
  const std::string queue = use_profile("generation");
  const Spec spec = Spec().queue(queue).account("ann").no_key();
  const JobId bad = failed(Spec("bad"));
  make_all(times(4, spec));
  advance(hours(2));
  make_all({Spec(spec).after({bad}), spec});
  EXPECT_EQ(account("ann").active_jobs, 5);
}

TEST_P(Credits, AJobThatEndsAtItsCreationLeavesItsCreditsToTheNextOfTheBatch) {
  const JobId bad = failed(Spec("bad"));
  give("ann", 1);
  make_all({Spec("ends").account("ann").cost(1).after({bad}), Spec().account("ann").cost(1)});
  EXPECT_BALANCE("ann", 0, 1, 0);
  EXPECT_EQ(kinds_of(entries("ann")), "grant:1 reserve:1 release:1 reserve:1");
}

TEST_P(Credits, AFanInThatStillWaitsKeepsItsCredits) {
  const JobId bad = failed(Spec("bad"));
  const JobId waiting = make(Spec("waiting"));
  give("ann", 10);
  const auto answer = submit_batch(
      {Spec("in").account("ann").cost(8).fan_in({bad, waiting}), Spec().account("ann").cost(8)},
      {.atomic = false});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(code_of(answer->results[0]), "ok");
  EXPECT_EQ(code_of(answer->results[1]), "insufficient_credits");
  EXPECT_BALANCE("ann", 2, 8, 0);
}

TEST_P(Credits, AnAfterKeepsItsCreditsHoweverTheChildrenEnded) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child")})), "ok");
  fail(get(parent.job)->children.at(0));
  give("ann", 10);
  const auto answer = submit_batch(
      {Spec("after").account("ann").cost(8).after({parent.job}), Spec().account("ann").cost(8)},
      {.atomic = false});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(code_of(answer->results[0]), "ok");
  EXPECT_EQ(code_of(answer->results[1]), "insufficient_credits");
  EXPECT_BALANCE("ann", 2, 8, 0);
}

TEST_P(Credits, AnAccountHasANameOfAtMost256Bytes) {
  GrantCredits command;
  command.amount = 1;
  EXPECT_EQ(code_of(grant(command)), "invalid_job");
  command.account = std::string(257, 'a');
  EXPECT_EQ(code_of(grant(command)), "invalid_job");
  command.account = std::string(256, 'a');
  EXPECT_EQ(code_of(grant(command)), "ok");
}

}  // namespace
}  // namespace baton::store::conformance
