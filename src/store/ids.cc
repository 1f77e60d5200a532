#include "store/ids.h"

#include "base/assert.h"
#include "lifecycle/limits.h"

namespace baton::store {
namespace {

constexpr std::size_t kAttemptByte = 15;
constexpr std::string_view kDigits = "0123456789abcdef";

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
  if (!uuid) return std::nullopt;
  const int attempt = uuid->bytes[kAttemptByte];
  if (attempt < 1 || attempt > lifecycle::kMaxAttempts) return std::nullopt;
  return ExecutionId{*uuid};
}

std::string format(const LeaseToken& token) {
  std::string text;
  text.reserve(2 * token.bytes.size());
  for (const std::uint8_t byte : token.bytes) {
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

std::optional<LeaseToken> parse_lease_token(std::string_view text) {
  LeaseToken token;
  if (text.size() != 2 * token.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = kDigits.find(text[i]);
    if (digit == std::string_view::npos) return std::nullopt;
    const unsigned so_far = token.bytes[i / 2];
    token.bytes[i / 2] = static_cast<std::uint8_t>(so_far * 16 + static_cast<unsigned>(digit));
  }
  return token;
}

}  // namespace baton::store
