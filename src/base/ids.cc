#include "baton/ids.h"

#include "base/assert.h"
#include "base/uuid.h"

namespace baton {
namespace {

constexpr std::size_t kAttemptByte = 15;
constexpr int kMaxAttempts = 100;
constexpr std::string_view kDigits = "0123456789abcdef";

bool dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

void append_hex(std::string& text, std::uint8_t byte) {
  text += kDigits[byte / 16];
  text += kDigits[byte % 16];
}

}  // namespace

JobId ExecutionId::job() const {
  JobId id{uuid};
  id.uuid.bytes[kAttemptByte] = 0;
  return id;
}

ExecutionId execution_id(const JobId& job, int attempt) {
  BATON_ASSERT(attempt >= 1 && attempt <= kMaxAttempts);
  ExecutionId id{job.uuid};
  id.uuid.bytes[kAttemptByte] = static_cast<std::uint8_t>(attempt);
  return id;
}

std::string to_string(const Uuid& uuid) {
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (dash_before(i)) text += '-';
    append_hex(text, uuid.bytes[i]);
  }
  return text;
}

std::string to_string(const JobId& id) { return to_string(id.uuid); }
std::string to_string(const ExecutionId& id) { return to_string(id.uuid); }

std::string to_string(const LeaseToken& token) {
  std::string text;
  text.reserve(2 * token.bytes.size());
  for (const std::uint8_t byte : token.bytes)
    append_hex(text, byte);
  return text;
}

std::optional<JobId> parse_job_id(std::string_view text) {
  const auto uuid = base::parse_uuid(text);
  if (!uuid || uuid->bytes[kAttemptByte] != 0) return std::nullopt;
  return JobId{*uuid};
}

std::optional<ExecutionId> parse_execution_id(std::string_view text) {
  const auto uuid = base::parse_uuid(text);
  if (!uuid) return std::nullopt;
  const int attempt = uuid->bytes[kAttemptByte];
  if (attempt < 1 || attempt > kMaxAttempts) return std::nullopt;
  return ExecutionId{*uuid};
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

}  // namespace baton
