// Every limit of a submission at its edge: accepted at the limit, refused one past it, with the
// field named. The numbers are written out here, not taken from limits.h.
#include "lifecycle/validate.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace baton::lifecycle {
namespace {

constexpr std::int64_t kYearMs = 31'622'400'000;  // 366 days

Submission plain() {
  Submission made;
  made.type = "mail";
  return made;
}

QueueSettings queue(std::string_view profile = "standard") {
  QueueSettings made;
  made.profile = profile;
  return made;
}

using Edit = std::function<void(Submission&)>;

Result<Terms> submitted(const Edit& edit, const QueueSettings& to = queue()) {
  Submission submission = plain();
  edit(submission);
  return accept(submission, to, {{"f", [](int, Duration initial, Duration) { return initial; }}});
}

void expect_accepted(const Edit& edit, const QueueSettings& to = queue()) {
  const auto result = submitted(edit, to);
  EXPECT_TRUE(result.ok()) << result.error().message;
}

void expect_refused(const Edit& edit, const Error& error, const QueueSettings& to = queue()) {
  const auto result = submitted(edit, to);
  ASSERT_FALSE(result.ok()) << error.message;
  EXPECT_EQ(result.error(), error) << result.error().message;
}

// A refusal whose message begins with its field, as most do.
Error invalid(const std::string& field, const std::string& rest) {
  return {Code::kInvalidJob, field + " " + rest, field, {}};
}

struct TextLimit {
  std::string field;
  std::size_t bytes;
  std::function<void(Submission&, std::string)> set;
};

TEST(ValidateSubmission, APlainOneIsAccepted) {
  expect_accepted([](Submission&) {});
}

TEST(ValidateSubmission, TextsHaveAtMostSoManyBytes) {
  const std::vector<TextLimit> limits = {
      {"type", 128, [](Submission& s, std::string text) { s.type = std::move(text); }},
      {"queue", 128, [](Submission& s, std::string text) { s.queue = std::move(text); }},
      {"content_type", 256,
       [](Submission& s, std::string text) { s.content_type = std::move(text); }},
      {"correlation_id", 256,
       [](Submission& s, std::string text) { s.correlation_id = std::move(text); }},
      {"account", 256, [](Submission& s, std::string text) { s.account = std::move(text); }},
      {"traceparent", 256,
       [](Submission& s, std::string text) { s.traceparent = std::move(text); }},
  };
  for (const TextLimit& limit : limits) {
    expect_accepted([&](Submission& s) { limit.set(s, std::string(limit.bytes, 'x')); });
    expect_refused(
        [&](Submission& s) { limit.set(s, std::string(limit.bytes + 1, 'x')); },
        invalid(limit.field, "must have at most " + std::to_string(limit.bytes) + " bytes"));
  }
}

TEST(ValidateSubmission, TypeAndQueueAreNames) {
  expect_refused([](Submission& s) { s.type = ""; }, invalid("type", "must not be empty"));
  expect_refused([](Submission& s) { s.queue = ""; }, invalid("queue", "must not be empty"));
  expect_refused([](Submission& s) { s.type = "a b"; },
                 invalid("type", "may have only letters, digits and the characters . _ : / -"));
  expect_refused([](Submission& s) { s.queue = "ä"; },
                 invalid("queue", "may have only letters, digits and the characters . _ : / -"));
  expect_accepted([](Submission& s) { s.type = "a.b_c:d/e-F9"; });
}

TEST(ValidateSubmission, TheFirstFaultIsNamed) {
  expect_refused(
      [](Submission& s) {
        s.type = "";
        s.queue = "";
        s.cost = -1;
      },
      invalid("type", "must not be empty"));
}

TEST(ValidateSubmission, ACallbackIsAnAddressOfLimitedLength) {
  const std::string scheme = "https://";
  expect_accepted([&](Submission& s) { s.callback_url = scheme + std::string(2'040, 'a'); });
  expect_refused([&](Submission& s) { s.callback_url = scheme + std::string(2'041, 'a'); },
                 invalid("callback_url", "must have at most 2048 bytes"));
  expect_refused([](Submission& s) { s.callback_url = "mailto:x"; },
                 invalid("callback_url", "must be an http or https address"));
}

TEST(ValidateSubmission, TagsAreFewAndShort) {
  const auto tags = [](std::size_t count) {
    return [count](Submission& s) {
      for (std::size_t i = 0; i < count; ++i)
        s.tags.emplace_back("k" + std::to_string(i), "v");
    };
  };
  expect_accepted(tags(64));
  expect_refused(tags(65), invalid("tags", "must have at most 64 entries"));
  const auto tag = [](std::size_t key, std::size_t value) {
    return [=](Submission& s) {
      s.tags = {{"first", ""}, {std::string(key, 'k'), std::string(value, 'v')}};
    };
  };
  expect_accepted(tag(128, 512));
  expect_accepted(tag(1, 0));
  expect_refused(tag(0, 1), invalid("tags", "must not have an empty key"));
  expect_refused(tag(129, 1), invalid("tags", "keys must have at most 128 bytes"));
  expect_refused(tag(1, 513), invalid("tags", "values must have at most 512 bytes"));
}

TEST(ValidateSubmission, APayloadFitsTheQueuesLimit) {
  QueueSettings small = queue();
  small.max_payload_bytes = 10;
  expect_accepted([](Submission& s) { s.payload = std::string(10, 'x'); }, small);
  expect_refused([](Submission& s) { s.payload = std::string(11, 'x'); },
                 {Code::kPayloadTooLarge, "payload must have at most 10 bytes", "payload", {}},
                 small);
}

TEST(ValidateSubmission, APayloadIsAtMostOneMebibyteByDefault) {
  expect_accepted([](Submission& s) { s.payload = std::string(1'048'576, 'x'); });
  expect_refused(
      [](Submission& s) { s.payload = std::string(1'048'577, 'x'); },
      {Code::kPayloadTooLarge, "payload must have at most 1048576 bytes", "payload", {}});
}

TEST(ValidateSubmission, OnlyDocumentHasDrafts) {
  const Edit draft = [](Submission& s) { s.draft = true; };
  expect_accepted(draft, queue("document"));
  for (const std::string name : {"standard", "commit", "generation", "lease"}) {
    expect_refused(draft, {Code::kNotInProfile, "profile " + name + " has no drafts", "draft", {}},
                   queue(name));
  }
}

TEST(ValidateSubmission, OnlyDocumentPinsItsRetries) {
  const std::vector<Edit> edits = {
      [](Submission& s) { s.retry.max_attempts = 4; },
      [](Submission& s) { s.retry.strategy = Strategy::kConstant; },
      [](Submission& s) { s.retry.initial = Duration{1'000}; },
      [](Submission& s) { s.retry.multiplier = 2.0; },
      [](Submission& s) { s.retry.max = Duration{1'000}; },
      [](Submission& s) { s.retry.jitter = Jitter::kNone; },
      [](Submission& s) { s.retry.table = {Duration{1}}; },
      [](Submission& s) { s.retry.function = "f"; },
  };
  for (const Edit& edit : edits) {
    expect_refused(edit,
                   {Code::kNotInProfile, "profile document has fixed retry settings", "retry", {}},
                   queue("document"));
    for (const std::string_view free : {"standard", "commit", "generation", "lease"})
      expect_accepted(edit, queue(free));
  }
  expect_accepted([](Submission& s) { s.timeouts.lease = Duration{500}; }, queue("document"));
}

TEST(ValidateSubmission, ADelayIsFromZeroToAYear) {
  const Error error = invalid("delay_ms", "must be from 0 to 31622400000 milliseconds");
  expect_accepted([](Submission& s) { s.delay = Duration{0}; });
  expect_accepted([](Submission& s) { s.delay = Duration{kYearMs}; });
  expect_refused([](Submission& s) { s.delay = Duration{-1}; }, error);
  expect_refused([](Submission& s) { s.delay = Duration{kYearMs + 1}; }, error);
}

TEST(ValidateSubmission, ADelayAndATimeExcludeEachOther) {
  expect_accepted([](Submission& s) { s.run_at = Time{5}; });
  expect_refused(
      [](Submission& s) {
        s.run_at = Time{5};
        s.delay = Duration{5};
      },
      invalid("run_at", "and delay_ms must not both be given"));
}

TEST(ValidateSubmission, AJobThatCouldNotRunBeforeItsLifetimeIsOverIsRefused) {
  const Time now{1'000'000};
  Terms terms;
  terms.lifetime = Duration{5'000};
  const auto delayed_by = [&](std::int64_t ms) {
    Submission one = plain();
    one.delay = Duration{ms};
    return check_time_to_run(one, terms, now);
  };
  const auto to_run_at = [&](std::int64_t ms) {
    Submission one = plain();
    one.run_at = Time{ms};
    return check_time_to_run(one, terms, now);
  };
  EXPECT_TRUE(check_time_to_run(plain(), terms, now).ok());
  EXPECT_TRUE(delayed_by(4'999).ok());
  EXPECT_TRUE(to_run_at(1'004'999).ok());
  EXPECT_TRUE(to_run_at(1).ok());
  ASSERT_FALSE(delayed_by(5'000).ok());
  EXPECT_EQ(delayed_by(5'000).error().field, "delay_ms");
  EXPECT_EQ(delayed_by(5'000).error().code, Code::kInvalidJob);
  EXPECT_EQ(delayed_by(5'000).error().message,
            "delay_ms must end before the job's lifetime of 5000 milliseconds does");
  ASSERT_FALSE(to_run_at(1'005'000).ok());
  EXPECT_EQ(to_run_at(1'005'000).error().field, "run_at");
}

TEST(ValidateSubmission, AKeyHasFromOneTo256Characters) {
  expect_accepted([](Submission& s) { s.idempotency_key = "k"; });
  expect_accepted([](Submission& s) { s.idempotency_key = std::string(256, 'k'); });
  const Error error = invalid("idempotency_key", "must have at most 256 characters");
  expect_refused([](Submission& s) { s.idempotency_key = std::string(257, 'k'); }, error);
  std::string wide;
  for (int i = 0; i < 256; ++i)
    wide += "€";
  expect_accepted([&](Submission& s) { s.idempotency_key = wide; });
  expect_refused([&](Submission& s) { s.idempotency_key = wide + "€"; }, error);
  expect_refused([](Submission& s) { s.idempotency_key = ""; },
                 invalid("idempotency_key", "must not be empty"));
}

TEST(ValidateSubmission, AUniqueKeyHasAtMost256Characters) {
  std::string wide;
  for (int i = 0; i < 256; ++i)
    wide += "€";
  expect_accepted([&](Submission& s) { s.unique = Unique{.key = wide}; });
  expect_refused([&](Submission& s) { s.unique = Unique{.key = wide + "€"}; },
                 invalid("unique.key", "must have at most 256 characters"));
  expect_refused([](Submission& s) { s.unique.emplace(); },
                 invalid("unique.key", "must not be empty"));
}

TEST(ValidateSubmission, AKeyAndAModeExcludeEachOther) {
  for (const Idempotency mode : {Idempotency::kAuto, Idempotency::kNone}) {
    expect_accepted([&](Submission& s) { s.idempotency = mode; });
    expect_refused(
        [&](Submission& s) {
          s.idempotency = mode;
          s.idempotency_key = "k";
        },
        invalid("idempotency_key", "and idempotency must not both be given"));
  }
}

TEST(ValidateSubmission, AttemptsAreFromOneToAHundred) {
  const Error error = invalid("retry.max_attempts", "must be from 1 to 100");
  for (const int good : {1, 100})
    expect_accepted([&](Submission& s) { s.retry.max_attempts = good; });
  for (const int bad : {-1, 0, 101})
    expect_refused([&](Submission& s) { s.retry.max_attempts = bad; }, error);
}

TEST(ValidateSubmission, TheMultiplierIsFromOneToAHundred) {
  const Error error = invalid("retry.multiplier", "must be from 1 to 100");
  for (const double good : {1.0, 1.5, 100.0})
    expect_accepted([&](Submission& s) { s.retry.multiplier = good; });
  for (const double bad : {0.999, 100.001, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()})
    expect_refused([&](Submission& s) { s.retry.multiplier = bad; }, error);
}

struct DurationLimit {
  std::string field;
  std::int64_t min;
  std::int64_t max;
  std::function<void(Submission&, Duration)> set;
};

TEST(ValidateSubmission, DurationsStayWithinTheirLimits) {
  QueueSettings patient = queue();
  patient.timeouts.execution = Duration{kYearMs};
  const std::vector<DurationLimit> limits = {
      {"retry.initial_ms", 0, kYearMs, [](Submission& s, Duration d) { s.retry.initial = d; }},
      {"retry.max_ms", 0, kYearMs, [](Submission& s, Duration d) { s.retry.max = d; }},
      {"retry.table_ms", 0, kYearMs,
       [](Submission& s, Duration d) {
         s.retry.table = {Duration{1}, d};
       }},
      {"timeouts.execution_ms", 1, kYearMs,
       [](Submission& s, Duration d) { s.timeouts.execution = d; }},
      {"timeouts.lease_ms", 100, 3'600'000,
       [](Submission& s, Duration d) { s.timeouts.lease = d; }},
      {"timeouts.lifetime_ms", 1, kYearMs,
       [](Submission& s, Duration d) { s.timeouts.lifetime = d; }},
  };
  for (const DurationLimit& limit : limits) {
    const Error error = invalid(limit.field, "must be from " + std::to_string(limit.min) + " to " +
                                                 std::to_string(limit.max) + " milliseconds");
    for (const std::int64_t good : {limit.min, limit.max})
      expect_accepted([&](Submission& s) { limit.set(s, Duration{good}); }, patient);
    for (const std::int64_t bad : {limit.min - 1, limit.max + 1})
      expect_refused([&](Submission& s) { limit.set(s, Duration{bad}); }, error, patient);
  }
}

TEST(ValidateSubmission, ATableHasFromOneToAHundredEntries) {
  const auto table = [](std::size_t count) {
    return [count](Submission& s) {
      s.retry.strategy = Strategy::kTable;
      s.retry.table.assign(count, Duration{5});
    };
  };
  expect_accepted(table(1));
  expect_accepted(table(100));
  expect_refused(table(101), invalid("retry.table_ms", "must have at most 100 entries"));
  expect_refused(table(0), invalid("retry.table_ms", "must be given for the strategy table"));
}

TEST(ValidateSubmission, DependenciesNameFromOneToAThousandJobs) {
  const auto depends = [](std::vector<std::size_t> groups) {
    return [groups](Submission& s) {
      for (const std::size_t count : groups) {
        s.depends_on.push_back(
            {DependencyType::kAfter, std::vector<std::string>(count, "#a"), false});
      }
    };
  };
  const Error too_wide{
      Code::kDependencyTooWide, "depends_on must name at most 1000 jobs", "depends_on", {}};
  expect_accepted(depends({1'000}));
  expect_refused(depends({1'001}), too_wide);
  expect_accepted(depends({400, 600}));
  expect_refused(depends({400, 601}), too_wide);
  const Error none = invalid("depends_on.jobs", "must name at least one job");
  expect_refused(depends({0}), none);
  expect_refused(depends({3, 0}), none);
}

TEST(ValidateSubmission, OnlyFanInAllowsFailures) {
  const auto allows = [](DependencyType type) {
    return [type](Submission& s) { s.depends_on = {{type, {"#a"}, true}}; };
  };
  const Error error = invalid("depends_on.allow_failures", "is for FAN_IN only");
  expect_accepted(allows(DependencyType::kFanIn));
  expect_refused(allows(DependencyType::kAfter), error);
  expect_refused(allows(DependencyType::kAfterAny), error);
}

TEST(ValidateSubmission, ACostIsFromZeroToTheMostAndNeedsAnAccount) {
  const auto costs = [](Amount cost, std::string account) {
    return [=](Submission& s) {
      s.cost = cost;
      s.account = account;
    };
  };
  expect_accepted(costs(0, ""));
  expect_accepted(costs(1, "anna"));
  expect_accepted(costs(1'000'000'000'000'000, "anna"));
  const Error range = invalid("cost", "must be from 0 to 1000000000000000");
  expect_refused(costs(-1, "anna"), range);
  expect_refused(costs(1'000'000'000'000'001, "anna"), range);
  expect_refused(costs(1, ""), invalid("account", "must be given with a cost"));
}

}  // namespace
}  // namespace baton::lifecycle
