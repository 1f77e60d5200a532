// How settings of job, queue and profile come together, and the limits of a queue's own settings
// and of what workers send. The numbers are written out here, not taken from limits.h.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "lifecycle/validate.h"

namespace baton::lifecycle {
namespace {

constexpr std::int64_t kYearMs = 31'622'400'000;     // 366 days
constexpr std::int64_t kDecadeMs = 316'224'000'000;  // 3,660 days

QueueSettings queue(std::string_view profile = "standard") {
  QueueSettings made;
  made.profile = profile;
  return made;
}

Submission plain() {
  Submission made;
  made.type = "mail";
  return made;
}

Duration twice(int, Duration initial, Duration) { return Duration{2 * initial.ms}; }
Duration thrice(int, Duration initial, Duration) { return Duration{3 * initial.ms}; }
const BackoffFunctions kFunctions = {{"twice", twice}, {"thrice", thrice}};

Error invalid(const std::string& field, const std::string& rest) {
  return {Code::kInvalidJob, field + " " + rest, field, {}};
}

using Edit = std::function<void(QueueSettings&)>;

void expect_accepted(const Edit& edit, std::string_view profile = "standard") {
  QueueSettings settings = queue(profile);
  edit(settings);
  const auto result = check_queue(settings);
  EXPECT_TRUE(result.ok()) << result.error().message;
}

void expect_refused(const Edit& edit, const Error& error, std::string_view profile = "standard") {
  QueueSettings settings = queue(profile);
  edit(settings);
  const auto result = check_queue(settings);
  ASSERT_FALSE(result.ok()) << error.message;
  EXPECT_EQ(result.error(), error) << result.error().message;
}

Retry full_retry() {
  Retry retry;
  retry.max_attempts = 9;
  retry.strategy = Strategy::kFunction;
  retry.initial = Duration{11};
  retry.multiplier = 3.5;
  retry.max = Duration{12};
  retry.jitter = Jitter::kTenPercent;
  retry.table = {Duration{1}, Duration{2}};
  retry.function = "twice";
  return retry;
}

TEST(Terms, AreTheProfilesWhenNobodySaysOtherwise) {
  for (const Profile* profile : all_profiles()) {
    const Terms terms = accept(plain(), queue(profile->name)).value();
    EXPECT_EQ(terms.profile, profile);
    EXPECT_EQ(terms.retry, profile->policy.retry);
    EXPECT_EQ(terms.lease, profile->policy.lease);
    EXPECT_EQ(terms.execution, profile->policy.execution);
    EXPECT_EQ(terms.lifetime, profile->policy.lifetime);
    EXPECT_EQ(terms.timeout_is, FailureIs::kTemporary);
    EXPECT_EQ(terms.system_is, FailureIs::kTemporary);
  }
}

void expect_full(const Terms& terms) {
  EXPECT_EQ(terms.retry.max_attempts, 9);
  EXPECT_EQ(terms.retry.strategy, Strategy::kFunction);
  EXPECT_EQ(terms.retry.initial, Duration{11});
  EXPECT_EQ(terms.retry.multiplier, 3.5);
  EXPECT_EQ(terms.retry.max, Duration{12});
  EXPECT_EQ(terms.retry.jitter, Jitter::kTenPercent);
  EXPECT_EQ(terms.retry.table, (std::vector<Duration>{Duration{1}, Duration{2}}));
  EXPECT_EQ(terms.retry.function_name, "twice");
  EXPECT_EQ(terms.retry.function, twice);
  EXPECT_EQ(terms.execution, Duration{501});
  EXPECT_EQ(terms.lease, Duration{502});
  EXPECT_EQ(terms.lifetime, Duration{503});
  EXPECT_EQ(terms.timeout_is, FailureIs::kTerminal);
  EXPECT_EQ(terms.system_is, FailureIs::kTerminal);
}

TEST(Terms, TakeEverySettingOfTheQueue) {
  QueueSettings settings = queue();
  settings.retry = full_retry();
  settings.timeouts = {Duration{501}, Duration{502}, Duration{503}};
  settings.timeout_is = FailureIs::kTerminal;
  settings.system_is = FailureIs::kTerminal;
  expect_full(accept(plain(), settings, kFunctions).value());
}

TEST(Terms, TakeEverySettingOfTheJob) {
  Submission submission = plain();
  submission.retry = full_retry();
  submission.timeouts = {Duration{501}, Duration{502}, Duration{503}};
  submission.timeout_is = FailureIs::kTerminal;
  submission.system_is = FailureIs::kTerminal;
  expect_full(accept(submission, queue(), kFunctions).value());
}

TEST(Terms, TheJobComesBeforeTheQueue) {
  QueueSettings settings = queue();
  settings.retry.max_attempts = 2;
  settings.retry.strategy = Strategy::kLinear;
  settings.retry.initial = Duration{1};
  settings.retry.multiplier = 50.0;
  settings.retry.max = Duration{2};
  settings.retry.jitter = Jitter::kFull;
  settings.retry.table = {Duration{99}};
  settings.retry.function = "thrice";
  settings.timeouts = {Duration{900}, Duration{901}, Duration{902}};
  settings.timeout_is = FailureIs::kTemporary;
  settings.system_is = FailureIs::kTemporary;
  Submission submission = plain();
  submission.retry = full_retry();
  submission.timeouts = {Duration{501}, Duration{502}, Duration{503}};
  submission.timeout_is = FailureIs::kTerminal;
  submission.system_is = FailureIs::kTerminal;
  expect_full(accept(submission, settings, kFunctions).value());
}

TEST(Terms, WhatTheJobOmitsItInheritsFromTheQueue) {
  QueueSettings settings = queue();
  settings.retry = full_retry();
  settings.timeouts = {Duration{501}, Duration{502}, Duration{503}};
  settings.timeout_is = FailureIs::kTerminal;
  settings.system_is = FailureIs::kTerminal;
  Submission submission = plain();
  submission.retry.max_attempts = 5;
  submission.timeouts.lease = Duration{700};
  submission.system_is = FailureIs::kTemporary;
  const Terms terms = accept(submission, settings, kFunctions).value();
  EXPECT_EQ(terms.retry.max_attempts, 5);
  EXPECT_EQ(terms.retry.strategy, Strategy::kFunction);
  EXPECT_EQ(terms.lease, Duration{700});
  EXPECT_EQ(terms.lifetime, Duration{503});
  EXPECT_EQ(terms.timeout_is, FailureIs::kTerminal);
  EXPECT_EQ(terms.system_is, FailureIs::kTemporary);
}

TEST(Terms, TheExecutionTimeoutHasTheQueuesAsItsCeiling) {
  QueueSettings settings = queue();
  settings.timeouts.execution = Duration{60'000};
  Submission submission = plain();
  submission.timeouts.execution = Duration{60'000};
  EXPECT_EQ(accept(submission, settings).value().execution, Duration{60'000});
  submission.timeouts.execution = Duration{60'001};
  EXPECT_EQ(accept(submission, settings).error(),
            invalid("timeouts.execution_ms", "must be at most the queue's 60000 milliseconds"));
}

TEST(Terms, WithoutAQueueSettingTheProfilesIsTheCeiling) {
  Submission submission = plain();
  submission.timeouts.execution = base::minutes(5);
  EXPECT_TRUE(accept(submission, queue("lease")).ok());
  submission.timeouts.execution = Duration{300'001};
  EXPECT_EQ(accept(submission, queue("lease")).error().field, "timeouts.execution_ms");
}

TEST(Terms, LeaseAndLifetimeHaveNoSuchCeiling) {
  Submission submission = plain();
  submission.timeouts.lease = base::hours(1);
  submission.timeouts.lifetime = Duration{kYearMs};
  EXPECT_TRUE(accept(submission, queue("lease")).ok());
}

TEST(Terms, ATableOfTheQueueServesAJobThatAsksForTheStrategy) {
  QueueSettings settings = queue();
  settings.retry.table = {Duration{5}};
  Submission submission = plain();
  submission.retry.strategy = Strategy::kTable;
  EXPECT_EQ(accept(submission, settings).value().retry.table, (std::vector<Duration>{Duration{5}}));
}

TEST(Terms, AFunctionMustBeRegistered) {
  Submission submission = plain();
  submission.retry.strategy = Strategy::kFunction;
  const Error error = invalid("retry.strategy", "names a function that is not registered");
  EXPECT_EQ(accept(submission, queue()).error(), error);
  submission.retry.function = "lost";
  EXPECT_EQ(accept(submission, queue(), kFunctions).error(), error);
  submission.retry.strategy = Strategy::kLinear;
  EXPECT_EQ(accept(submission, queue(), kFunctions).error(), error);
  submission.retry.function = "twice";
  EXPECT_TRUE(accept(submission, queue(), kFunctions).ok());
}

TEST(ValidateQueue, EveryProfileIsFineAsItIs) {
  for (const Profile* profile : all_profiles())
    expect_accepted([](QueueSettings&) {}, profile->name);
}

TEST(ValidateQueue, ChecksItsRetrySettings) {
  expect_accepted([](QueueSettings& q) { q.retry.max_attempts = 100; });
  expect_refused([](QueueSettings& q) { q.retry.max_attempts = 101; },
                 invalid("retry.max_attempts", "must be from 1 to 100"));
  expect_refused([](QueueSettings& q) { q.retry.strategy = Strategy::kTable; },
                 invalid("retry.table_ms", "must be given for the strategy table"));
  expect_refused([](QueueSettings& q) { q.retry.strategy = Strategy::kFunction; },
                 invalid("retry.strategy", "names a function that is not registered"));
  expect_refused([](QueueSettings& q) { q.retry.initial = Duration{1}; },
                 {Code::kNotInProfile, "profile document has fixed retry settings", "retry", {}},
                 "document");
}

TEST(ValidateQueue, ChecksItsTimeouts) {
  expect_accepted([](QueueSettings& q) { q.timeouts.execution = Duration{kYearMs}; });
  expect_refused([](QueueSettings& q) { q.timeouts.lease = Duration{99}; },
                 invalid("timeouts.lease_ms", "must be from 100 to 3600000 milliseconds"));
}

struct DurationLimit {
  std::string field;
  std::int64_t min;
  std::int64_t max;
  std::function<void(QueueSettings&, Duration)> set;
};

TEST(ValidateQueue, DurationsStayWithinTheirLimits) {
  const std::vector<DurationLimit> limits = {
      {"idempotency_window_ms", 1, kYearMs,
       [](QueueSettings& q, Duration d) { q.idempotency_window = d; }},
      {"retention.completed_ms", 0, kDecadeMs,
       [](QueueSettings& q, Duration d) { q.keep_completed = d; }},
      {"retention.failed_ms", 0, kDecadeMs,
       [](QueueSettings& q, Duration d) { q.keep_failed = d; }},
  };
  for (const DurationLimit& limit : limits) {
    const Error error = invalid(limit.field, "must be from " + std::to_string(limit.min) + " to " +
                                                 std::to_string(limit.max) + " milliseconds");
    for (const std::int64_t good : {limit.min, limit.max})
      expect_accepted([&](QueueSettings& q) { limit.set(q, Duration{good}); });
    for (const std::int64_t bad : {limit.min - 1, limit.max + 1})
      expect_refused([&](QueueSettings& q) { limit.set(q, Duration{bad}); }, error);
  }
}

TEST(ValidateQueue, PayloadsMayHaveFromOneByteTo16Mebibytes) {
  const Error error = invalid("max_payload_bytes", "must be from 1 to 16777216");
  for (const std::size_t good : {1U, 16'777'216U})
    expect_accepted([&](QueueSettings& q) { q.max_payload_bytes = good; });
  for (const std::size_t bad : {0U, 16'777'217U})
    expect_refused([&](QueueSettings& q) { q.max_payload_bytes = bad; }, error);
}

TEST(ValidateQueue, CountsAreNotNegative) {
  expect_accepted([](QueueSettings& q) { q.max_pending = 0; });
  expect_accepted([](QueueSettings& q) { q.max_running = 0; });
  expect_refused([](QueueSettings& q) { q.max_pending = -1; },
                 invalid("max_pending", "must not be negative"));
  expect_refused([](QueueSettings& q) { q.max_running = -1; },
                 invalid("max_running", "must not be negative"));
}

TEST(ValidateQueue, ARateHasLimits) {
  const Error speed = invalid("rate.per_second", "must be from 0.001 to 1000000");
  const Error burst = invalid("rate.burst", "must be from 1 to 1000000");
  for (const double good : {0.001, 1.0, 1'000'000.0})
    expect_accepted([&](QueueSettings& q) { q.rate = RateLimit{good, 1}; });
  for (const double bad :
       {0.0, 0.0009, 1'000'000.5, -1.0, std::numeric_limits<double>::quiet_NaN()})
    expect_refused([&](QueueSettings& q) { q.rate = RateLimit{bad, 1}; }, speed);
  for (const int good : {1, 1'000'000})
    expect_accepted([&](QueueSettings& q) { q.rate = RateLimit{1.0, good}; });
  for (const int bad : {0, 1'000'001})
    expect_refused([&](QueueSettings& q) { q.rate = RateLimit{1.0, bad}; }, burst);
}

TEST(ValidateQueue, AQueueHasAName) {
  EXPECT_TRUE(check_queue_name("a.b").ok());
  EXPECT_TRUE(check_queue_name(std::string(128, 'q')).ok());
  EXPECT_EQ(check_queue_name(std::string(129, 'q')).error(),
            invalid("queue", "must have at most 128 bytes"));
  EXPECT_EQ(check_queue_name("").error(), invalid("queue", "must not be empty"));
  EXPECT_EQ(check_queue_name("a b").error(),
            invalid("queue", "may have only letters, digits and the characters . _ : / -"));
}

TEST(ValidateWork, APermanentFailureNeedsACode) {
  const Error error = invalid("code", "must be given for a PERMANENT failure");
  EXPECT_EQ(check_failure({FailureCategory::kPermanent, "", "m", ""}).error(), error);
  EXPECT_TRUE(check_failure({FailureCategory::kPermanent, "c", "m", ""}).ok());
  EXPECT_EQ(check_failure({FailureCategory::kSystem, "released", "m", ""}).error(),
            invalid("code", "must not be \"released\", which is what a release says"));
  EXPECT_TRUE(check_failure({FailureCategory::kTemporary, "released", "m", ""}).ok());
  for (const auto category : {FailureCategory::kTemporary, FailureCategory::kTimeout,
                              FailureCategory::kCancelled, FailureCategory::kSystem})
    EXPECT_TRUE(check_failure({category, "", "", ""}).ok());
}

TEST(ValidateWork, AFailuresTextsAreLimited) {
  const auto check = [](std::size_t code, std::size_t message, std::size_t cause) {
    const std::string text(9'000, 'x');
    const std::string_view view = text;
    return check_failure({FailureCategory::kTemporary, view.substr(0, code),
                          view.substr(0, message), view.substr(0, cause)});
  };
  EXPECT_TRUE(check(128, 8'192, 8'192).ok());
  EXPECT_EQ(check(129, 0, 0).error(), invalid("code", "must have at most 128 bytes"));
  EXPECT_EQ(check(0, 8'193, 0).error(), invalid("message", "must have at most 8192 bytes"));
  EXPECT_EQ(check(0, 0, 8'193).error(), invalid("cause", "must have at most 8192 bytes"));
}

TEST(ValidateWork, TextsOfCallsAreLimited) {
  EXPECT_TRUE(check_message(std::string(8192, 'x')).ok());
  EXPECT_EQ(check_message(std::string(8193, 'x')).error(),
            invalid("message", "must have at most 8192 bytes"));
  EXPECT_TRUE(check_reason(std::string(8192, 'x')).ok());
  EXPECT_EQ(check_reason(std::string(8193, 'x')).error(),
            invalid("reason", "must have at most 8192 bytes"));
}

TEST(ValidateWork, ResultsAndCheckpointsAreLimited) {
  EXPECT_TRUE(check_checkpoint(std::string(1 << 20, 'x')).ok());
  const Status checkpoint = check_checkpoint(std::string((1 << 20) + 1, 'x'));
  ASSERT_FALSE(checkpoint.ok());
  EXPECT_EQ(checkpoint.error().code, Code::kPayloadTooLarge);
  EXPECT_EQ(checkpoint.error().field, "checkpoint");
  EXPECT_EQ(checkpoint.error().message, "checkpoint must have at most 1048576 bytes");
  EXPECT_TRUE(check_result(std::string(16 << 20, 'x'), "text/plain").ok());
  const Status result = check_result(std::string((16 << 20) + 1, 'x'), "text/plain");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::kPayloadTooLarge);
  EXPECT_EQ(result.error().field, "result");
  EXPECT_TRUE(check_result("", std::string(256, 'x')).ok());
  EXPECT_EQ(check_result("", std::string(257, 'x')).error(),
            invalid("result_content_type", "must have at most 256 bytes"));
}

TEST(ValidateWork, ARetryAfterIsFromZeroToAYear) {
  const Error error = invalid("retry_after_ms", "must be from 0 to 31622400000 milliseconds");
  EXPECT_TRUE(check_retry_after(Duration{0}).ok());
  EXPECT_TRUE(check_retry_after(Duration{kYearMs}).ok());
  EXPECT_EQ(check_retry_after(Duration{-1}).error(), error);
  EXPECT_EQ(check_retry_after(Duration{kYearMs + 1}).error(), error);
}

TEST(ValidateWork, ALeaseIsFromATenthOfASecondToAnHour) {
  const Error error = invalid("lease_ms", "must be from 100 to 3600000 milliseconds");
  EXPECT_TRUE(check_lease(Duration{100}, "lease_ms").ok());
  EXPECT_TRUE(check_lease(Duration{3'600'000}, "lease_ms").ok());
  EXPECT_EQ(check_lease(Duration{99}, "lease_ms").error(), error);
  EXPECT_EQ(check_lease(Duration{3'600'001}, "lease_ms").error(), error);
}

}  // namespace
}  // namespace baton::lifecycle
