// The real Machine and its rows, turned by hand: one command a turn, at a time that stands still
// until a test moves it. What an answer must be is asserted here, so that the tests read as
// stories. For tests only; one thread.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/local/machine/machine.h"
#include "store/local/machine/rows.h"
#include "store/work_call.h"

namespace baton::failure_modes {
using store::ClaimedJob;
using store::JobRecord;

class DrivenStore {
 public:
  explicit DrivenStore(std::uint64_t seed = 1) : random_(seed) {}

  // One turn whose changes are not applied to the rows. No other turn may follow.
  store::local::Turn turn(store::local::Command command) {
    std::vector<store::local::Command> commands;
    commands.push_back(std::move(command));
    return machine_.turn(std::move(commands), now_, random_);
  }

  // One turn: the answer is an Error or an Answer.
  template <class Answer>
  Result<Answer> ask(store::local::Command command) {
    store::local::Turn made = turn(std::move(command));
    last_changes_ = made.changes.size();
    rows_.apply(made.changes);
    store::local::Answer& answer = made.answers.at(0);
    if (auto* error = std::get_if<Error>(&answer)) return std::move(*error);
    return std::move(std::get<Answer>(answer));
  }

  // The one job of a batch, or why it was refused.
  Result<store::MadeJob> submit(const Submission& submission) {
    store::SubmitBatch batch;
    batch.jobs.push_back(std::make_shared<const Submission>(submission));
    batch.atomic = false;
    auto answer = ask<store::SubmitAnswer>(std::move(batch));
    if (!answer.ok()) return answer.error();
    return answer->results.at(0);
  }

  std::vector<ClaimedJob> claim_all(int max) {
    ClaimRequest request;
    request.queues = {"default"};
    request.max = max;
    request.worker = "worker";
    return ask<store::ClaimAnswer>(std::move(request)).value().executions;
  }

  // The one job that waits.
  ClaimedJob claim() {
    auto claimed = claim_all(1);
    EXPECT_EQ(claimed.size(), 1u);
    return claimed.empty() ? ClaimedJob{} : claimed.front();
  }

  Result<store::CallAnswer> work(WorkCall call) { return ask<store::CallAnswer>(std::move(call)); }

  void set_queue(QueueUpdate update) {
    update.name = "default";
    EXPECT_TRUE(ask<Queue>(std::move(update)).ok());
  }

  // Time passes, and what falls due in it happens.
  void wait(Duration duration) {
    now_ = now_ + duration;
    EXPECT_TRUE(ask<store::TimersAnswer>(store::RunTimers{}).ok());
  }

  JobRecord record(const JobId& id) const {
    const auto found = rows_.find(id);
    EXPECT_NE(found, nullptr);
    return found ? *found : JobRecord{};
  }

  Time now() const { return now_; }
  // How many row changes the latest command made.
  std::size_t last_changes() const { return last_changes_; }
  store::local::Rows& rows() { return rows_; }
  const store::local::Machine& machine() const { return machine_; }

 private:
  Time now_{1'700'000'000'000};
  base::Random random_;
  store::local::Rows rows_;
  store::local::Machine machine_{rows_};
  std::size_t last_changes_ = 0;
};

inline Submission job_of(std::string type = "t") {
  Submission submission;
  submission.type = std::move(type);
  submission.payload = "{}";
  return submission;
}

inline WorkCall call_of(CallKind kind, const ClaimedJob& claimed) {
  WorkCall call;
  call.call = store::blank_call(kind);
  call.execution = claimed.execution;
  call.token = claimed.facts.execution.token;
  return call;
}

// A commit or an ack, by its kind, that brings a child.
inline WorkCall finish_of(CallKind kind, const ClaimedJob& claimed, std::string result = "{}") {
  WorkCall call = call_of(kind, claimed);
  const auto fill = [&](auto& one) {
    one.result = Outcome{.bytes = std::move(result), .content_type = "application/json"};
    one.spawn = {std::make_shared<const Submission>(job_of("child"))};
  };
  if (auto* commit = std::get_if<CommitCall>(&call.call)) fill(*commit);
  if (auto* ack = std::get_if<AckCall>(&call.call)) fill(*ack);
  return call;
}

inline WorkCall ack_of(const ClaimedJob& claimed, std::string result = "{}") {
  WorkCall call = call_of(CallKind::kAck, claimed);
  std::get<AckCall>(call.call).result =
      Outcome{.bytes = std::move(result), .content_type = "application/json"};
  return call;
}

}  // namespace baton::failure_modes
