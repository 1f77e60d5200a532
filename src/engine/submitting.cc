// Submissions of Engine: one job is a batch of one.
#include <cstddef>
#include <utility>

#include "baton/engine.h"
#include "engine/blocking.h"
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
    answers.push_back(one ? Result<Submitted>({one->id, one->facts.state, one->duplicate})
                          : one.error());
  }
  return answers;
}

}  // namespace
}  // namespace engine

void Engine::submit_batch_async(Batch batch, Completion<std::vector<Result<Submitted>>> done) {
  using engine::Answers;
  store::SubmitBatch inner{{}, batch.atomic, batch.chain};
  inner.jobs.reserve(batch.jobs.size());
  for (Submission& job : batch.jobs)
    inner.jobs.push_back(std::make_shared<const Submission>(std::move(job)));
  impl_->running.store().submit(std::move(inner),
                                [done = std::move(done)](Result<store::SubmitAnswer> answer) {
                                  if (!answer)
                                    return engine::complete<Answers>(done, answer.error());
                                  engine::complete<Answers>(done, engine::answers_of(*answer));
                                });
}

Result<std::vector<Result<Submitted>>> Engine::submit_batch(Batch batch) {
  return engine::await<std::vector<Result<Submitted>>>(
      [&](auto done) { submit_batch_async(std::move(batch), std::move(done)); });
}

void Engine::submit_async(Submission job, Completion<Submitted> done) {
  Batch batch{.jobs = {std::move(job)}, .atomic = false};
  submit_batch_async(std::move(batch), [done = std::move(done)](auto answer) {
    if (!answer) return done(answer.error());
    done(std::move(answer->front()));
  });
}

Result<Submitted> Engine::submit(Submission job) {
  return engine::await<Submitted>(
      [&](auto done) { submit_async(std::move(job), std::move(done)); });
}

}  // namespace baton
