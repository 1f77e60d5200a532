// What a claim brings of the jobs that the claimed one depended on.
#include "store/dependency_results.h"
#include "store/conformance/suites.h"

namespace baton::store::conformance {
namespace {

using Results = std::vector<DependencyResult>;

std::string bytes_of(const DependencyResult& one) {
  if (one.result) return one.result->bytes;
  return one.result_bytes ? "(" + std::to_string(*one.result_bytes) + ")" : "(none)";
}

TEST_P(Dependencies, AClaimBringsWhatTheyLeft) {
  const JobId first = make(Spec("first"));
  const JobId second = make(Spec("second"));
  ASSERT_EQ(code_of(ack(claim_one(), "{\"n\":1}")), "ok");
  ASSERT_EQ(code_of(ack(claim_one(), "{\"n\":2}")), "ok");
  make(Spec("last").after({second, first}));
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].job, second) << "in the order named";
  EXPECT_EQ(results[0].state, "COMPLETED");
  EXPECT_EQ(bytes_of(results[0]), "{\"n\":2}");
  EXPECT_EQ(results[0].result->content_type, "application/json");
  EXPECT_EQ(results[1].job, first);
  EXPECT_EQ(bytes_of(results[1]), "{\"n\":1}");
}

TEST_P(Dependencies, AClaimOfAJobWithoutThemBringsNone) {
  make();
  EXPECT_TRUE(claim_one().dependency_results.empty());
}

TEST_P(Dependencies, AClaimShowsHowTheyEndedInTheirProfilesWords) {
  const JobId failed = make(Spec("failed").queue(use_profile("generation")));
  ASSERT_EQ(code_of(cancel(failed)), "ok");
  make(Spec().after_any({failed}));
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].state, "cancelled");
  EXPECT_EQ(bytes_of(results[0]), "(none)");
}

TEST_P(Dependencies, AClaimBringsAFanInsChildrenBehindTheirParent) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("a"), Spec("b")})), "ok");
  ASSERT_EQ(code_of(ack(claim_one(), "1")), "ok");
  ASSERT_EQ(code_of(ack(claim_one(), "2")), "ok");
  const JobId other = completed(Spec("other"));
  make(Spec("last").fan_in({parent.job}).after({other, parent.job}));
  const Results results = claim_one().dependency_results;
  const auto children = get(parent.job)->children;
  ASSERT_EQ(results.size(), 4u) << "the parent is named twice and shown once";
  EXPECT_EQ(results[0].job, parent.job);
  EXPECT_EQ(results[1].job, children[0]);
  EXPECT_EQ(bytes_of(results[1]), "1");
  EXPECT_EQ(results[2].job, children[1]);
  EXPECT_EQ(bytes_of(results[2]), "2");
  EXPECT_EQ(results[3].job, other);
}

TEST_P(Dependencies, AClaimBringsSmallResultsAndTheSizeOfLargeOnes) {
  const JobId small = make(Spec("small"));
  ASSERT_EQ(code_of(ack(claim_one(), std::string(kMaxInlineResult, '1'))), "ok");
  const JobId large = make(Spec("large"));
  ASSERT_EQ(code_of(ack(claim_one(), std::string(kMaxInlineResult + 1, '1'))), "ok");
  make(Spec().after({large, small}));
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(bytes_of(results[0]), "(" + std::to_string(kMaxInlineResult + 1) + ")");
  EXPECT_EQ(bytes_of(results[1]).size(), kMaxInlineResult);
  EXPECT_FALSE(results[1].result_bytes.has_value());
}

TEST_P(Dependencies, AClaimBringsResultsAsFarAsTheyFitTogether) {
  std::vector<JobId> ids;
  for (int i = 0; i < 17; ++i) {
    ids.push_back(make());
    ASSERT_EQ(code_of(ack(claim_one(), std::string(kMaxInlineResult, '1'))), "ok");
  }
  const JobId tiny = completed();
  Spec last("last");
  for (const JobId& id : ids)
    last.after({id});
  make(last.after({tiny}));
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 18u);
  for (std::size_t i = 0; i < 16; ++i)
    EXPECT_TRUE(results[i].result.has_value()) << i;
  EXPECT_EQ(bytes_of(results[16]), "(" + std::to_string(kMaxInlineResult) + ")");
  EXPECT_EQ(bytes_of(results[17]), "(2)") << "256 KiB are used up";
}

TEST_P(Dependencies, AClaimBringsAtMostAHundred) {
  const std::vector<JobId> ids = make_all(times(101, Spec()));
  for (const ClaimedJob& one : claim({.max = 101}))
    ASSERT_EQ(code_of(ack(one)), "ok");
  Spec last("last");
  for (const JobId& id : ids)
    last.after({id});
  make(last);
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 100u);
  EXPECT_EQ(results.back().job, ids[99]);
}

TEST_P(Dependencies, AClaimShowsThatOneWasDeleted) {
  const JobId first = completed();
  make(Spec().after({first}));
  ASSERT_EQ(code_of(remove(first)), "ok");
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0], DependencyResult{.job = first});
}

TEST_P(Dependencies, ResultsAndPayloadsOfOneClaimShareItsBytes) {
  QueueUpdate update = update_of("default");
  update.max_payload_bytes = std::size_t{16} << 20;
  ASSERT_EQ(code_of(set_queue(update)), "ok");
  const JobId first = make();
  ASSERT_EQ(code_of(ack(claim_one(), "12345678")), "ok");
  std::string payload(std::size_t{16} << 20, '1');
  payload.resize(payload.size() - 4);
  make(Spec().payload(payload).after({first}));
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(bytes_of(results[0]), "(8)") << "only four bytes are left";
}

TEST_P(Recovery, AClaimBringsWhatWasLeftBeforeTheRestart) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("a")})), "ok");
  const JobId large = make(Spec("large"));
  const ClaimedJob child = claim_one();
  ASSERT_EQ(code_of(ack(child, "{\"n\":1}")), "ok");
  ASSERT_EQ(code_of(ack(claim_one(), std::string(100'000, '1'))), "ok");
  make(Spec("last").fan_in({parent.job}).after({large}));
  restart();
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].job, parent.job);
  EXPECT_EQ(bytes_of(results[0]), "(none)");
  EXPECT_EQ(results[1].job, child.job);
  EXPECT_EQ(bytes_of(results[1]), "{\"n\":1}");
  EXPECT_EQ(bytes_of(results[2]), "(100000)");
}

TEST_P(Dependencies, AClaimShowsAChildByItsNewestCopy) {
  const ClaimedJob parent = running(Spec("parent"));
  ASSERT_EQ(code_of(ack(parent, std::vector<Spec>{Spec("child")})), "ok");
  const JobId child = get(parent.job)->children.at(0);
  fail(child);
  const JobId copy = redriven(child);
  make(Spec("join").fan_in({parent.job}));
  ASSERT_EQ(code_of(ack(claim_job(copy), "\"mended\"")), "ok");
  const Results results = claim_one().dependency_results;
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].job, copy);
  ASSERT_TRUE(results[1].result);
  EXPECT_EQ(results[1].result->bytes, "\"mended\"");
}

}  // namespace
}  // namespace baton::store::conformance
