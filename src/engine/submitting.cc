// Submissions of Engine: one job is a batch of one.
#include <cstddef>
#include <memory>
#include <utility>

#include "baton/engine.h"
#include "engine/impl.h"

namespace baton {
namespace engine {
namespace {

using Answers = std::vector<Result<Submitted>>;

Error error_of_job(Error error, std::size_t index) {
  const std::string dot = error.field.empty() ? "" : ".";
  error.field = "jobs[" + std::to_string(index) + "]" + dot + error.field;
  return error;
}

Result<Answers> answers_of(const store::SubmitAnswer& answer) {
  if (answer.refused) return error_of_job(answer.refused->error, answer.refused->index);
  Answers answers;
  answers.reserve(answer.results.size());
  for (const auto& one : answer.results) {
    answers.push_back(
        one ? Result<Submitted>({one->id, one->facts.state, one->duplicate, one->payload_differs})
            : one.error());
  }
  return answers;
}

void submit(store::Store& store, Batch batch, Completion<Answers> done) {
  store::SubmitBatch inner{{}, batch.atomic, batch.chain};
  inner.jobs.reserve(batch.jobs.size());
  for (Submission& job : batch.jobs)
    inner.jobs.push_back(std::make_shared<const Submission>(std::move(job)));
  store.submit(std::move(inner), [done = std::move(done)](Result<store::SubmitAnswer> answer) {
    if (!answer) return done(answer.error());
    done(answers_of(*answer));
  });
}

}  // namespace
}  // namespace engine

Pending<std::vector<Result<Submitted>>> Engine::submit_batch(Batch batch) {
  return Pending<engine::Answers>::begun([&](auto done) {
    engine::submit(impl_->running.store(), std::move(batch), std::move(done));
  });
}

Pending<Submitted> Engine::submit(Submission job) {
  return Pending<Submitted>::begun([&](Completion<Submitted> done) {
    Batch batch{.jobs = {std::move(job)}, .atomic = false};
    engine::submit(impl_->running.store(), std::move(batch),
                   [done = std::move(done)](Result<engine::Answers> answers) {
                     if (!answers) return done(answers.error());
                     done(std::move(answers->front()));
                   });
  });
}

}  // namespace baton
