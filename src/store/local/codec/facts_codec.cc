#include "store/local/codec/facts_codec.h"

namespace baton::store::local {

using lifecycle::ExecutionFacts;
using lifecycle::JobFacts;
namespace {

// What is there, a bit each, the usual ones first. The numbers are written to disk
// (docs/catalog-format.md): do not renumber.
enum FactBit : std::uint32_t {
  kScheduledAt = 1 << 0,
  kExecution = 1 << 1,
  kStartedAt = 1 << 2,
  kCompletedAt = 1 << 3,
  kHasAccount = 1 << 4,
  kHeld = 1 << 5,
  kNotBefore = 1 << 6,
  kUpdatedAt = 1 << 7,  // unless it is created_at
  kRunAt = 1 << 8,
  kRetryCount = 1 << 9,
  kFailureCategory = 1 << 10,
  kErrorType = 1 << 11,
  kProgress = 1 << 12,
  kHasCallback = 1 << 13,
  kDelay = 1 << 14,
  kAttempt = 1 << 15,  // unless it is that of the execution
  kCancelRequested = 1 << 16,
  kHasStaged = 1 << 17,
  kPayloadClass = 0xf << 18,  // a number of four bits
  kAllFactBits = (1 << 22) - 1,
};
constexpr int kPayloadClassShift = 18;

enum ExecutionBit : std::uint32_t {
  kClaimStarted = 1 << 0,
  kLeaseExpires = 1 << 1,
  kDeadline = 1 << 2,
  kCommitted = 1 << 3,
  kFinished = 1 << 4,
  kClaimed = 1 << 5,
  kLease = 1 << 6,
  kAllExecutionBits = (1 << 7) - 1,
};

// The bits of a byte that has two things in it.
constexpr int kPriorityShift = 4;
constexpr int kToShift = 4;
constexpr int kActorShift = 5;
constexpr std::uint8_t kLowFour = 0x0f;
constexpr std::uint8_t kLowFive = 0x1f;
constexpr std::uint8_t kLowTwo = 0x03;
constexpr std::uint8_t kAttemptFollows = 0x80;

template <class Enum>
std::uint8_t byte_of(Enum value) {
  return static_cast<std::uint8_t>(value);
}

template <class Enum>
Enum checked(ByteReader& in, int value) {
  if (static_cast<std::size_t>(value) < kNames<Enum>.size()) return static_cast<Enum>(value);
  in.fail("a value has no meaning");
  return Enum{};
}

std::uint32_t bits_of(const ExecutionFacts& execution) {
  std::uint32_t bits = 0;
  const auto mark = [&bits](ExecutionBit bit, bool there) { bits |= there ? bit : 0U; };
  mark(kClaimStarted, execution.started_at.is_set());
  mark(kLeaseExpires, execution.lease_expires_at.is_set());
  mark(kDeadline, execution.deadline_at.is_set());
  mark(kCommitted, execution.committed_at.is_set());
  mark(kFinished, execution.finished_at.is_set());
  mark(kClaimed, execution.claimed_at.is_set());
  mark(kLease, execution.lease.ms != 0);
  return bits;
}

std::uint32_t bits_of(const JobFacts& facts) {
  const bool executed = !(facts.execution == ExecutionFacts{});
  std::uint32_t bits = 0;
  const auto mark = [&bits](FactBit bit, bool there) { bits |= there ? bit : 0U; };
  mark(kScheduledAt, facts.scheduled_at.is_set());
  mark(kExecution, executed);
  mark(kStartedAt, facts.started_at.is_set());
  mark(kCompletedAt, facts.completed_at.is_set());
  mark(kHasAccount, facts.has_account);
  mark(kHeld, facts.held != 0);
  mark(kNotBefore, facts.not_before.is_set());
  mark(kUpdatedAt, facts.updated_at != facts.created_at);
  mark(kRunAt, facts.run_at.is_set());
  mark(kRetryCount, facts.retry_count != 0);
  mark(kFailureCategory, facts.failure_category.has_value());
  mark(kErrorType, facts.error_type.has_value());
  mark(kProgress, facts.progress != lifecycle::kNoProgress);
  mark(kHasCallback, facts.has_callback);
  mark(kDelay, facts.delay.ms != 0);
  mark(kAttempt, facts.attempt != facts.execution.attempt);
  mark(kCancelRequested, facts.cancel_requested);
  mark(kHasStaged, facts.has_staged);
  return bits | static_cast<std::uint32_t>(facts.payload_class) << kPayloadClassShift;
}

}  // namespace

void write(ByteWriter& out, const ExecutionFacts& execution, Time from) {
  const std::uint32_t has = bits_of(execution);
  out.varint(has);
  out.signed_number(execution.attempt);
  out.enumerator(execution.status);
  out.raw(execution.token.bytes);
  if (has & kLease) out.duration(execution.lease);
  if (has & kClaimed) out.time(execution.claimed_at, from);
  if (has & kClaimStarted) out.time(execution.started_at, from);
  if (has & kCommitted) out.time(execution.committed_at, from);
  if (has & kFinished) out.time(execution.finished_at, from);
  if (has & kLeaseExpires) out.time(execution.lease_expires_at, from);
  if (has & kDeadline) out.time(execution.deadline_at, from);
}

ExecutionFacts read_execution(ByteReader& in, Time from) {
  ExecutionFacts execution;
  const std::uint64_t has = in.mask(kAllExecutionBits);
  execution.attempt = in.small_number();
  execution.status = in.enumerator<ExecutionStatus>();
  in.raw(execution.token.bytes);
  if (has & kLease) execution.lease = in.duration();
  if (has & kClaimed) execution.claimed_at = in.time(from);
  if (has & kClaimStarted) execution.started_at = in.time(from);
  if (has & kCommitted) execution.committed_at = in.time(from);
  if (has & kFinished) execution.finished_at = in.time(from);
  if (has & kLeaseExpires) execution.lease_expires_at = in.time(from);
  if (has & kDeadline) execution.deadline_at = in.time(from);
  return execution;
}

void write(ByteWriter& out, const JobFacts& facts, Time from) {
  const std::uint32_t has = bits_of(facts);
  out.varint(has);
  const int priority = byte_of(facts.priority) << kPriorityShift;
  out.byte(static_cast<std::uint8_t>(byte_of(facts.state) | priority));
  out.number(facts.version);
  out.number(facts.history_count);
  out.time(facts.created_at, from);
  if (has & kUpdatedAt) out.time(facts.updated_at, from);
  if (has & kScheduledAt) out.time(facts.scheduled_at, from);
  if (has & kStartedAt) out.time(facts.started_at, from);
  if (has & kCompletedAt) out.time(facts.completed_at, from);
  if (has & kNotBefore) out.time(facts.not_before, from);
  if (has & kRunAt) out.time(facts.run_at, from);
  if (has & kHeld) out.number(facts.held);
  if (has & kDelay) out.duration(facts.delay);
  if (has & kRetryCount) out.signed_number(facts.retry_count);
  if (has & kFailureCategory) out.enumerator(*facts.failure_category);
  if (has & kErrorType) out.enumerator(*facts.error_type);
  if (has & kProgress) out.signed_number(facts.progress);
  if (has & kExecution) write(out, facts.execution, from);
  if (has & kAttempt) out.signed_number(facts.attempt);
}

JobFacts read_facts(ByteReader& in, Time from) {
  JobFacts facts;
  const std::uint64_t has = in.mask(kAllFactBits);
  const std::uint8_t two = in.byte();
  facts.state = checked<JobState>(in, two & kLowFour);
  facts.priority = checked<Priority>(in, two >> kPriorityShift);
  facts.version = in.number();
  facts.history_count = in.number();
  facts.created_at = in.time(from);
  facts.updated_at = has & kUpdatedAt ? in.time(from) : facts.created_at;
  if (has & kScheduledAt) facts.scheduled_at = in.time(from);
  if (has & kStartedAt) facts.started_at = in.time(from);
  if (has & kCompletedAt) facts.completed_at = in.time(from);
  if (has & kNotBefore) facts.not_before = in.time(from);
  if (has & kRunAt) facts.run_at = in.time(from);
  if (has & kHeld) facts.held = in.number();
  if (has & kDelay) facts.delay = in.duration();
  if (has & kRetryCount) facts.retry_count = in.small_number();
  if (has & kFailureCategory) facts.failure_category = in.enumerator<FailureCategory>();
  if (has & kErrorType) facts.error_type = in.enumerator<ErrorType>();
  if (has & kProgress) facts.progress = in.small_number();
  if (has & kExecution) facts.execution = read_execution(in, from);
  facts.attempt = has & kAttempt ? in.small_number() : facts.execution.attempt;
  facts.has_account = (has & kHasAccount) != 0;
  facts.has_callback = (has & kHasCallback) != 0;
  facts.cancel_requested = (has & kCancelRequested) != 0;
  facts.has_staged = (has & kHasStaged) != 0;
  facts.payload_class = static_cast<std::uint8_t>((has & kPayloadClass) >> kPayloadClassShift);
  return facts;
}

void write(ByteWriter& out, const HistoryEntry& entry, Time from, std::int64_t seq) {
  const int to = byte_of(entry.to) << kToShift;
  const int actor = byte_of(entry.actor) << kActorShift;
  const int attempt = entry.attempt != 0 ? kAttemptFollows : 0;
  out.byte(static_cast<std::uint8_t>(byte_of(entry.from) | to));
  out.byte(static_cast<std::uint8_t>(byte_of(entry.trigger) | actor | attempt));
  out.time(entry.at, from);
  out.distance(entry.seq, seq);
  if (attempt != 0) out.signed_number(entry.attempt);
}

HistoryEntry read_history_entry(ByteReader& in, Time from, std::int64_t seq) {
  HistoryEntry entry;
  const std::uint8_t states = in.byte();
  const std::uint8_t cause = in.byte();
  entry.from = checked<JobState>(in, states & kLowFour);
  entry.to = checked<JobState>(in, states >> kToShift);
  entry.trigger = checked<Trigger>(in, cause & kLowFive);
  entry.actor = checked<Actor>(in, cause >> kActorShift & kLowTwo);
  entry.at = in.time(from);
  entry.seq = in.distance(seq);
  if ((cause & kAttemptFollows) != 0) entry.attempt = in.small_number();
  return entry;
}

}  // namespace baton::store::local
