#include "store/local/codec/job_codec.h"

#include "store/local/codec/change_codec.h"
#include "store/local/codec/facts_codec.h"
#include "store/local/codec/settings_codec.h"
#include "store/local/codec/text_codec.h"

namespace baton::store::local {
namespace {

// Every column begins with it; there is one version of each so far.
constexpr std::uint8_t kVersion = 1;

// What is there, a bit each. The numbers are written to disk (docs/catalog-format.md): do not
// renumber.
enum BodyBit : std::uint32_t {
  kExecutions = 1 << 0,
  kHistory = 1 << 1,
  kResult = 1 << 2,
  kLastFailure = 1 << 3,
  kProgressMessage = 1 << 4,
  kCheckpoint = 1 << 5,
  kParent = 1 << 6,
  kRedriven = 1 << 7,
  kOtherTags = 1 << 8,  // than were submitted
  kOtherCorrelation = 1 << 9,
  kOtherCallback = 1 << 10,
  kAllBodyBits = (1 << 11) - 1,
};

enum ExtrasBit : std::uint32_t {
  kWaits = 1 << 0,
  kStaged = 1 << 1,
  kChildren = 1 << 2,
  kAllExtrasBits = (1 << 3) - 1,
};

constexpr std::uint8_t kInFacts = 1;  // the execution is the one in the facts
constexpr std::uint8_t kFailed = 2;
// What a column of facts says first.
constexpr std::uint8_t kHasExtras = 1;
constexpr std::uint8_t kOwnTerms = 2;

void begin(ByteReader& in) {
  if (in.byte() != kVersion) in.fail("its version is unknown");
}

std::string begun() { return std::string(1, static_cast<char>(kVersion)); }

std::uint32_t bits_of(const JobRecord& record) {
  std::uint32_t bits = 0;
  const auto mark = [&bits](BodyBit bit, bool there) { bits |= there ? bit : 0U; };
  mark(kExecutions, !record.executions.empty());
  mark(kHistory, !record.history.empty());
  mark(kResult, record.result.has_value());
  mark(kLastFailure, record.last_failure.has_value());
  mark(kProgressMessage, !record.progress_message.empty());
  mark(kCheckpoint, !record.checkpoint.empty());
  mark(kParent, !record.parent.is_nil());
  mark(kRedriven, !record.redriven_from.is_nil());
  mark(kOtherTags, record.labels.tags != record.spec->tags);
  mark(kOtherCorrelation, record.labels.correlation_id != record.spec->correlation_id);
  mark(kOtherCallback, record.labels.callback_url != record.spec->callback_url);
  return bits;
}

void write_executions(ByteWriter& out, const JobRecord& record) {
  out.varint(record.executions.size());
  for (const ExecutionRecord& one : record.executions) {
    const bool in_facts = one.facts == record.facts.execution;
    out.byte(static_cast<std::uint8_t>((in_facts ? kInFacts : 0) | (one.failure ? kFailed : 0)));
    if (!in_facts) write(out, one.facts, record.facts.created_at);
    out.text(one.worker);
    if (one.failure) write(out, *one.failure);
  }
}

ExecutionRecord read_execution_record(ByteReader& in, const lifecycle::JobFacts& facts) {
  ExecutionRecord one;
  const std::uint8_t has = in.byte_below(kInFacts + kFailed + 1);
  one.facts = has & kInFacts ? facts.execution : read_execution(in, facts.created_at);
  one.worker = in.text();
  if (has & kFailed) one.failure = read_failure(in);
  return one;
}

void read_executions(ByteReader& in, JobRecord& record) {
  for (std::size_t left = in.count(2); left > 0 && in.ok(); --left)
    record.executions.push_back(read_execution_record(in, record.facts));
}

void write_history(ByteWriter& out, const JobRecord& record) {
  out.varint(record.history.size());
  Time from = record.facts.created_at;
  std::int64_t seq = 1;
  for (const HistoryEntry& entry : record.history) {
    write(out, entry, from, seq++);
    from = entry.at;
  }
}

void read_result(ByteReader& in, JobRecord& record, bool wanted) {
  if (wanted) {
    record.result = read_outcome(in);
    return;
  }
  in.text();
  in.text();
}

void read_checkpoint(ByteReader& in, JobRecord& record, bool wanted) {
  const std::string_view checkpoint = in.text();
  if (wanted) record.checkpoint = checkpoint;
}

void read_history(ByteReader& in, JobRecord& record) {
  const std::size_t count = in.count(4);
  Time from = record.facts.created_at;
  record.history.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    record.history.push_back(read_history_entry(in, from, static_cast<std::int64_t>(i) + 1));
    from = record.history.back().at;
  }
}

}  // namespace

std::string facts_column(const FactsColumn& facts) {
  std::string bytes = begun();
  ByteWriter out(bytes);
  const bool own_terms = facts.terms == 0;
  out.byte(
      static_cast<std::uint8_t>((facts.has_extras ? kHasExtras : 0) | (own_terms ? kOwnTerms : 0)));
  own_terms ? write(out, *facts.facts.terms) : out.number(facts.terms);
  write(out, facts.facts, facts.facts.created_at);
  return bytes;
}

void read_facts_column(ByteReader& in, Time created_at, const TermsTable& known,
                       FactsColumn& into) {
  begin(in);
  const std::uint8_t has = in.byte_below(kHasExtras + kOwnTerms + 1);
  into.has_extras = (has & kHasExtras) != 0;
  if (has & kOwnTerms) {
    into.own_terms = read_terms(in, known);
  } else {
    into.terms = in.number();
  }
  into.facts = read_facts(in, created_at);
  in.expect_end();
}

std::string spec_column(const Submission& spec, PayloadIs payload) {
  std::string bytes = begun();
  ByteWriter out(bytes);
  write(out, spec, payload);
  return bytes;
}

Submission read_spec_column(ByteReader& in, const TermsTable& known, PayloadIs* payload) {
  begin(in);
  Submission spec = read_submission(in, known, payload);
  in.expect_end();
  return spec;
}

std::string body_column(const JobRecord& record) {
  std::string bytes = begun();
  ByteWriter out(bytes);
  const std::uint32_t has = bits_of(record);
  out.varint(has);
  if (has & kExecutions) write_executions(out, record);
  if (has & kHistory) write_history(out, record);
  if (has & kResult) write(out, *record.result);
  if (has & kLastFailure) write(out, *record.last_failure);
  if (has & kProgressMessage) out.text(record.progress_message);
  if (has & kCheckpoint) out.text(record.checkpoint);
  if (has & kParent) write(out, record.parent);
  if (has & kRedriven) write(out, record.redriven_from);
  if (has & kOtherTags) write(out, record.labels.tags);
  if (has & kOtherCorrelation) out.text(record.labels.correlation_id);
  if (has & kOtherCallback) out.text(record.labels.callback_url);
  return bytes;
}

void read_body_column(ByteReader& in, JobRecord& record, JobParts with) {
  begin(in);
  const std::uint64_t has = in.mask(kAllBodyBits);
  record.labels = {record.spec->tags, record.spec->correlation_id, record.spec->callback_url};
  if (has & kExecutions) read_executions(in, record);
  if (has & kHistory) read_history(in, record);
  if (has & kResult) read_result(in, record, with.result);
  if (has & kLastFailure) record.last_failure = read_failure(in);
  if (has & kProgressMessage) record.progress_message = in.text();
  if (has & kCheckpoint) read_checkpoint(in, record, with.checkpoint);
  if (has & kParent) record.parent = read_id(in);
  if (has & kRedriven) record.redriven_from = read_id(in);
  if (has & kOtherTags) record.labels.tags = read_tags(in);
  if (has & kOtherCorrelation) record.labels.correlation_id = in.text();
  if (has & kOtherCallback) record.labels.callback_url = in.text();
  in.expect_end();
}

std::optional<lifecycle::ExecutionFacts> read_body_execution(ByteReader& in,
                                                             const lifecycle::JobFacts& facts,
                                                             int attempt) {
  begin(in);
  if ((in.mask(kAllBodyBits) & kExecutions) == 0) return std::nullopt;
  // What is cut off has fewer bytes than the count promises, so that the count is no bound here.
  const std::uint64_t count = in.varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const lifecycle::ExecutionFacts execution = read_execution_record(in, facts).facts;
    if (in.ok() && execution.attempt == attempt) return execution;
  }
  return std::nullopt;
}

std::string extras_column(const StoredJob& job) {
  const bool waits = !(job.waits == Waits{});
  const bool staged = !job.record.staged.empty();
  const bool children = !job.record.children.empty();
  if (!waits && !staged && !children) return {};
  std::string bytes = begun();
  ByteWriter out(bytes);
  out.varint((waits ? kWaits : 0U) | (staged ? kStaged : 0U) | (children ? kChildren : 0U));
  if (waits) write(out, job.waits);
  if (staged) write(out, job.record.staged);
  if (children) write(out, job.record.children);
  return bytes;
}

void read_extras_column(ByteReader& in, const TermsTable& known, StoredJob& job) {
  begin(in);
  const std::uint64_t has = in.mask(kAllExtrasBits);
  if (has & kWaits) job.waits = read_waits(in);
  if (has & kStaged) job.record.staged = read_submissions(in, known);
  if (has & kChildren) job.record.children = read_ids(in);
  in.expect_end();
}

std::string terms_column(const lifecycle::Terms& terms) {
  std::string bytes = begun();
  ByteWriter out(bytes);
  write(out, terms);
  return bytes;
}

lifecycle::Terms read_terms_column(ByteReader& in, const TermsTable& known) {
  begin(in);
  lifecycle::Terms terms = read_terms(in, known);
  in.expect_end();
  return terms;
}

std::string settings_column(const QueueSettings& settings) {
  std::string bytes = begun();
  ByteWriter out(bytes);
  write(out, settings);
  return bytes;
}

QueueSettings read_settings_column(ByteReader& in, const TermsTable& known) {
  begin(in);
  QueueSettings settings = read_queue_settings(in, known);
  in.expect_end();
  return settings;
}

std::string times_column(const std::vector<Time>& times) {
  std::string bytes = begun();
  ByteWriter out(bytes);
  write(out, times, Time{});
  return bytes;
}

std::vector<Time> read_times_column(ByteReader& in) {
  begin(in);
  std::vector<Time> times = read_times(in, Time{});
  in.expect_end();
  return times;
}

}  // namespace baton::store::local
