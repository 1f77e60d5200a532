#include "lifecycle/limits.h"
#include "store/local/commands/handlers.h"
#include "store/local/commands/job_maker.h"

namespace baton::store::local {

Answer handle(Core& core, const SubmitBatch& command) {
  if (command.jobs.empty() || command.jobs.size() > lifecycle::kMaxBatch) {
    return Error{Code::kBadRequest,
                 "a batch must have from 1 to " + std::to_string(lifecycle::kMaxBatch) + " jobs",
                 "jobs",
                 {}};
  }
  JobMaker batch(core, command.jobs, {.chain = command.chain});
  batch.plan();
  SubmitAnswer answer;
  if (command.atomic) answer.refused = batch.first_refusal();
  if (!answer.refused) answer.results = batch.make();
  return answer;
}

}  // namespace baton::store::local
