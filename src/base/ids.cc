#include "baton/ids.h"

#include "base/assert.h"
#include "base/hex.h"
#include "base/uuid.h"

namespace baton {
namespace {

constexpr std::size_t kAttemptByte = 15;

}  // namespace

JobId ExecutionId::job() const {
  JobId id{uuid};
  id.uuid.bytes[kAttemptByte] = 0;
  return id;
}

ExecutionId execution_id(const JobId& job, int attempt) {
  BATON_ASSERT(attempt >= 1 && attempt <= kMaxExecutions);
  ExecutionId id{job.uuid};
  id.uuid.bytes[kAttemptByte] = static_cast<std::uint8_t>(attempt);
  return id;
}

std::string to_string(const Uuid& uuid) {
  std::string text;
  text.reserve(36);
  base::append_uuid(text, uuid);
  return text;
}

std::string to_string(const JobId& id) { return to_string(id.uuid); }
std::string to_string(const ExecutionId& id) { return to_string(id.uuid); }

std::string to_string(const LeaseToken& token) { return base::hex(token.bytes); }

std::optional<JobId> parse_job_id(std::string_view text) {
  const auto uuid = base::parse_uuid(text);
  if (!uuid || uuid->bytes[kAttemptByte] != 0) return std::nullopt;
  return JobId{*uuid};
}

std::optional<ExecutionId> parse_execution_id(std::string_view text) {
  const auto uuid = base::parse_uuid(text);
  if (!uuid) return std::nullopt;
  const int attempt = uuid->bytes[kAttemptByte];
  if (attempt < 1 || attempt > kMaxExecutions) return std::nullopt;
  return ExecutionId{*uuid};
}

std::optional<LeaseToken> parse_lease_token(std::string_view text) {
  LeaseToken token;
  if (text.size() != 2 * token.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = base::kLowerHex.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    const unsigned so_far = token.bytes[i / 2];
    token.bytes[i / 2] = static_cast<std::uint8_t>(so_far * 16 + static_cast<unsigned>(digit));
  }
  return token;
}

}  // namespace baton
