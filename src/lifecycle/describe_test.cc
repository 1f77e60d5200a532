#include "lifecycle/describe.h"

#include <gtest/gtest.h>

namespace baton::lifecycle {
namespace {

std::string json() {
  std::string out;
  describe_json(out);
  return out;
}

// The text between the profile's name and the next profile, or the end of the list.
std::string json_of(std::string_view profile) {
  const std::string all = json();
  const auto begin = all.find("\"name\": \"" + std::string(profile) + "\"");
  return all.substr(begin, all.find("\n    }", begin) - begin);
}

TEST(DescribeJson, PolicyOfStandard) {
  EXPECT_NE(json_of("standard").find(R"(      "policy": {
        "exhausted": "DEAD_LETTER",
        "permanent": "FAILED",
        "retry": {
          "max_attempts": 3,
          "strategy": "exponential",
          "initial_ms": 1000,
          "multiplier": 2,
          "max_ms": 3600000,
          "jitter": "none"
        },
        "max_retries": 2,
        "lost_lease_wait_ms": 0,
        "free_releases": 100,
        "lease_ms": 300000,
        "execution_ms": 1800000,
        "lifetime_ms": 604800000,
        "retry_pinned": false,
        "last_failure_retries": false,
        "key_default": "none",
        "failed_frees_key": false,
        "quota": false
      },)"),
            std::string::npos);
}

TEST(DescribeJson, PolicyOfDocument) {
  EXPECT_NE(json_of("document").find(R"(      "policy": {
        "exhausted": "FAILED",
        "permanent": "FAILED",
        "retry": {
          "max_attempts": 4,
          "strategy": "constant",
          "initial_ms": 1000,
          "multiplier": 2,
          "max_ms": 1000,
          "jitter": "none"
        },
        "max_retries": 3,
        "lost_lease_wait_ms": 1000,
        "free_releases": 100,
        "lease_ms": 30000,
        "execution_ms": 1800000,
        "lifetime_ms": 604800000,
        "retry_pinned": true,
        "last_failure_retries": false,
        "key_default": "none",
        "failed_frees_key": false,
        "quota": false
      },)"),
            std::string::npos);
}

TEST(DescribeJson, PolicyOfCommit) {
  EXPECT_NE(json_of("commit").find(R"(      "policy": {
        "exhausted": "FAILED",
        "permanent": "FAILED",
        "retry": {
          "max_attempts": 4,
          "strategy": "constant",
          "initial_ms": 0,
          "multiplier": 2,
          "max_ms": 3600000,
          "jitter": "none"
        },
        "max_retries": 3,
        "lost_lease_wait_ms": 0,
        "free_releases": 100,
        "lease_ms": 30000,
        "execution_ms": 1800000,
        "lifetime_ms": 604800000,
        "retry_pinned": false,
        "last_failure_retries": false,
        "key_default": "none",
        "failed_frees_key": false,
        "quota": false
      },)"),
            std::string::npos);
}

TEST(DescribeJson, PolicyOfGeneration) {
  EXPECT_NE(json_of("generation").find(R"(      "policy": {
        "exhausted": "DEAD_LETTER",
        "permanent": "DEAD_LETTER",
        "retry": {
          "max_attempts": 3,
          "strategy": "exponential",
          "initial_ms": 2000,
          "multiplier": 2,
          "max_ms": 30000,
          "jitter": "none"
        },
        "max_retries": 3,
        "lost_lease_wait_ms": 0,
        "free_releases": 100,
        "lease_ms": 30000,
        "execution_ms": 300000,
        "lifetime_ms": 604800000,
        "retry_pinned": false,
        "last_failure_retries": true,
        "key_default": "auto",
        "failed_frees_key": true,
        "quota": true
      },)"),
            std::string::npos);
}

TEST(DescribeJson, PolicyOfLease) {
  EXPECT_NE(json_of("lease").find(R"(      "policy": {
        "exhausted": "FAILED",
        "permanent": "FAILED",
        "retry": {
          "max_attempts": 4,
          "strategy": "exponential",
          "initial_ms": 500,
          "multiplier": 2,
          "max_ms": 30000,
          "jitter": "full"
        },
        "max_retries": 3,
        "lost_lease_wait_ms": 0,
        "free_releases": 0,
        "lease_ms": 5000,
        "execution_ms": 300000,
        "lifetime_ms": 604800000,
        "retry_pinned": false,
        "last_failure_retries": false,
        "key_default": "none",
        "failed_frees_key": false,
        "quota": false
      },)"),
            std::string::npos);
}

TEST(DescribeJson, WordsAreNullWhereAProfileNeverIs) {
  EXPECT_EQ(json_of("generation").find(R"("name": "generation",
      "summary": "paid generation work: guards, credits, moderation, assets",
      "default": false,
      "words": {
        "CREATED": null,
        "PENDING": "queued",
        "DELAYED": "queued",
        "SCHEDULED": "queued",
        "RUNNING": "running",
        "RETRYING": "failed",
        "COMPLETED": "completed",
        "FAILED": null,
        "DEAD_LETTER": "dead_letter",
        "CANCELLED": "cancelled",
        "REJECTED": "rejected"
      },)"),
            0u);
}

TEST(DescribeJson, OnlyTheFirstProfileIsTheDefault) {
  EXPECT_NE(json_of("standard").find("\"default\": true"), std::string::npos);
  for (const Profile* profile : all_profiles().subspan(1))
    EXPECT_NE(json_of(profile->name).find("\"default\": false"), std::string::npos);
}

TEST(DescribeJson, ProfilesListTheirOwnTransitions) {
  const std::string generation = json_of("generation");
  const auto expect_row = [&](std::string_view row, bool present) {
    EXPECT_EQ(generation.find(row) != std::string::npos, present) << row;
  };
  expect_row(R"("transitions": [
        {"from":null,"to":"PENDING","trigger":"create"},)",
             true);
  expect_row(R"({"from":"RETRYING","to":"DEAD_LETTER","trigger":"permanent"})", true);
  expect_row(R"({"from":"RUNNING","to":"DEAD_LETTER","trigger":"exhausted"})", false);
  expect_row(R"("to":"FAILED")", false);
}

TEST(DescribeJson, HasStatesTransitionsAndCalls) {
  const std::string all = json();
  for (const std::string_view row : {
           "{\n  \"format\": 1,\n  \"profiles\": [\n    {\n",
           R"("states": [
    {"name":"CREATED","terminal":false,"waiting":true},)",
           R"({"name":"RUNNING","terminal":false,"waiting":false},)",
           R"({"name":"REJECTED","terminal":true,"waiting":false}
  ],
  "transitions": [
    {"from":null,"to":"CREATED","trigger":"create","label":"a job is made and waits to be )"
           R"(submitted"},)",
           R"({"from":"SCHEDULED","to":"RUNNING","trigger":"claim","label":"a worker claims it"},)",
           R"("calls": [
    {"call":"start","status":"LEASED","outcome":"start"},)",
           R"({"call":"commit","status":"ABORTED","outcome":"stale_or_committed"},)",
           R"({"call":"asset","status":"ABORTED","outcome":"stale_lease"}
  ],)",
       }) {
    EXPECT_NE(all.find(row), std::string::npos) << row;
  }
  EXPECT_EQ(all.find("\"name\":\"\""), std::string::npos);
  EXPECT_TRUE(all.ends_with("]\n  }\n}\n"));
}

TEST(DescribeJson, HasLimitsAndTiers) {
  EXPECT_NE(json().find(R"(  "limits": {
    "max_type_bytes": 128,
    "max_queue_bytes": 128,
    "max_idempotency_key_characters": 256,
    "max_tags": 64,
    "max_tag_key_bytes": 128,
    "max_tag_value_bytes": 512,
    "max_correlation_id_bytes": 256,
    "max_callback_url_bytes": 2048,
    "max_account_bytes": 256,
    "max_traceparent_bytes": 256,
    "max_content_type_bytes": 256,
    "max_worker_bytes": 256,
    "max_failure_code_bytes": 128,
    "max_failure_text_bytes": 8192,
    "default_payload_bytes": 1048576,
    "max_payload_bytes": 16777216,
    "max_attempts": 100,
    "max_table_entries": 100,
    "min_multiplier": 1,
    "max_multiplier": 100,
    "max_delay_ms": 31622400000,
    "min_lease_ms": 100,
    "max_lease_ms": 3600000,
    "min_timeout_ms": 1,
    "max_dependencies": 1000,
    "max_depth": 100,
    "max_batch": 1000,
    "max_amount": 1000000000000000
  },
  "tiers": [
    {"name":"guest","max_active":5,"max_per_hour":5},
    {"name":"user","max_active":50,"max_per_hour":50},
    {"name":"pro","max_active":500,"max_per_hour":500}
  ],
)"),
            std::string::npos);
}

TEST(DescribeJson, HasEveryEnum) {
  std::string all = json();
  std::erase(all, '\n');
  std::erase(all, ' ');
  const auto begin = all.find("\"enums\":");
  EXPECT_EQ(
      all.substr(begin),
      R"("enums":{"job_state":["CREATED","PENDING","DELAYED","SCHEDULED","RUNNING","RETRYING",)"
      R"("COMPLETED","FAILED","DEAD_LETTER","CANCELLED","REJECTED"],)"
      R"("execution_status":["LEASED","IN_PROGRESS","COMMITTED","DONE","ABORTED"],)"
      R"("failure_category":["TEMPORARY","PERMANENT","TIMEOUT","CANCELLED","SYSTEM"],)"
      R"("error_type":["RETRYABLE","TERMINAL"],"failure_is":["temporary","terminal"],)"
      R"("priority":["CRITICAL","HIGH","NORMAL","LOW","BULK"],)"
      R"("actor":["client","worker","system"],)"
      R"("trigger":["create","submit","ready","delay","due","claim","done","failure","timeout",)"
      R"("lease_lost","permanent","exhausted","backoff","reject","cancel","lifetime",)"
      R"("dependency","release"],"strategy":["constant","linear","exponential","table","function"],)"
      R"("jitter":["none","ten_percent","full"],"key_default":["none","auto"],)"
      R"("dependency_type":["AFTER","AFTER_ANY","FAN_IN"],)"
      R"("call":["start","heartbeat","commit","done","ack","nack","reject","cancelled","spawn",)"
      R"("asset","release"],"call_outcome":["start","extend","commit","finish","abort","stage","repeat",)"
      R"("already_committed","stale_lease","stale_or_committed","invalid_transition"],)"
      R"("tier":["guest","user","pro"],"posting":["grant","reserve","capture","release"],)"
      R"("error_code":["bad_request","unauthenticated","insufficient_credits","forbidden",)"
      R"("not_found","stale_lease","already_committed","invalid_transition","not_in_profile",)"
      R"("conflict","payload_too_large","unsupported_media_type","invalid_job",)"
      R"("unknown_dependency","dependency_cycle","dependency_too_deep","dependency_too_wide",)"
      R"("guard_rejected","quota_exceeded","rate_limited","queue_full","store_unavailable",)"
      R"("shutting_down","submission_timeout","damaged"]}})");
}

}  // namespace
}  // namespace baton::lifecycle
