#include "store/ids.h"

#include "base/assert.h"
#include "lifecycle/limits.h"

namespace baton::store {
namespace {

constexpr std::size_t kAttemptByte = 15;

}  // namespace

JobId ExecutionId::job() const {
  JobId id{uuid};
  id.uuid.bytes[kAttemptByte] = 0;
  return id;
}

JobId make_job_id(base::Random& random) {
  JobId id{base::make_uuid(random)};
  id.uuid.bytes[kAttemptByte] = 0;
  return id;
}

ExecutionId execution_id(const JobId& job, int attempt) {
  BATON_ASSERT(attempt >= 1 && attempt <= lifecycle::kMaxAttempts);
  ExecutionId id{job.uuid};
  id.uuid.bytes[kAttemptByte] = static_cast<std::uint8_t>(attempt);
  return id;
}

std::string format(const JobId& id) { return base::format_uuid(id.uuid); }
std::string format(const ExecutionId& id) { return base::format_uuid(id.uuid); }

std::optional<JobId> parse_job_id(std::string_view text) {
  const auto uuid = base::parse_uuid(text);
  if (!uuid || uuid->bytes[kAttemptByte] != 0) return std::nullopt;
  return JobId{*uuid};
}

std::optional<ExecutionId> parse_execution_id(std::string_view text) {
  const auto uuid = base::parse_uuid(text);
  if (!uuid || uuid->bytes[kAttemptByte] == 0) return std::nullopt;
  return ExecutionId{*uuid};
}

}  // namespace baton::store
