// Ids in paths. Internal to the folder.
#pragma once

#include <optional>

#include "api/answer.h"
#include "api/service.h"

namespace baton::api {

// The job that the path names. Answers with not_found, and is empty, when it can be no job's id.
inline std::optional<JobId> job_of(const ApiCall& call) {
  const auto id = parse_job_id(call.names.front());
  if (!id) call.answer(problem_answer(not_found("there is no job " + call.names.front())));
  return id;
}

}  // namespace baton::api
