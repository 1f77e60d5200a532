#include "baton/ids.h"

#include "base/assert.h"

namespace baton {
namespace {

constexpr std::size_t kAttemptByte = 15;
constexpr int kMaxAttempts = 100;
constexpr std::string_view kDigits = "0123456789abcdef";

bool dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

int digit(char c) {
  if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
  const std::size_t at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid uuid;
  std::size_t at = 0;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (dash_before(i) && text[at++] != '-') return std::nullopt;
    const int high = digit(text[at++]);
    const int low = digit(text[at++]);
    if (high < 0 || low < 0) return std::nullopt;
    uuid.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return uuid;
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
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (dash_before(i)) text.push_back('-');
    text.push_back(kDigits[uuid.bytes[i] / 16]);
    text.push_back(kDigits[uuid.bytes[i] % 16]);
  }
  return text;
}
std::string to_string(const JobId& id) { return to_string(id.uuid); }
std::string to_string(const ExecutionId& id) { return to_string(id.uuid); }

std::string to_string(const LeaseToken& token) {
  std::string text;
  for (const std::uint8_t byte : token.bytes) {
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

std::optional<JobId> parse_job_id(std::string_view text) {
  const auto uuid = parse_uuid(text);
  if (!uuid || uuid->bytes[kAttemptByte] != 0) return std::nullopt;
  return JobId{*uuid};
}

std::optional<ExecutionId> parse_execution_id(std::string_view text) {
  const auto uuid = parse_uuid(text);
  if (!uuid) return std::nullopt;
  const ExecutionId id{*uuid};
  if (id.attempt() < 1 || id.attempt() > kMaxAttempts) return std::nullopt;
  return id;
}

std::optional<LeaseToken> parse_lease_token(std::string_view text) {
  LeaseToken token;
  if (text.size() != 2 * token.bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t value = kDigits.find(text[i]);
    if (value == std::string_view::npos) return std::nullopt;
    const unsigned so_far = token.bytes[i / 2];
    token.bytes[i / 2] = static_cast<std::uint8_t>(so_far * 16 + static_cast<unsigned>(value));
  }
  return token;
}

}  // namespace baton
