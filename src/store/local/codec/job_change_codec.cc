#include "store/local/codec/job_change_codec.h"

#include "store/local/codec/facts_codec.h"
#include "store/local/codec/submission_codec.h"
#include "store/local/codec/text_codec.h"

namespace baton::store::local {
namespace {

// What is there, a bit each, the usual ones first. The numbers are written to disk
// (docs/catalog-format.md): do not renumber.
enum ChangeBit : std::uint32_t {
  kMade = 1 << 0,
  kReady = 1 << 1,
  kExecutionChanged = 1 << 2,
  kWorker = 1 << 3,
  kTexts = 1 << 4,
  kHistory = 1 << 5,
  kBirth = 1 << 6,
  kFailureCleared = 1 << 7,
  kStagedCleared = 1 << 8,
  kParent = 1 << 9,
  kRedriven = 1 << 10,
  kForgettable = 1 << 11,  // not durable
  kAllChangeBits = (1 << 12) - 1,
};

enum TextBit : std::uint32_t {
  kFailure = 1 << 0,
  kExecutionFailure = 1 << 1,
  kResult = 1 << 2,
  kProgressMessage = 1 << 3,
  kCheckpoint = 1 << 4,
  kTags = 1 << 5,
  kCorrelation = 1 << 6,
  kCallback = 1 << 7,
  kStaged = 1 << 8,
  kAllTextBits = (1 << 9) - 1,
};

constexpr std::uint8_t kBornWithKey = 1;
constexpr std::uint8_t kBornWaiting = 2;
constexpr std::size_t kMostHistory = 4;

std::uint32_t bits_of(const JobChange& change) {
  std::uint32_t bits = 0;
  const auto mark = [&bits](ChangeBit bit, bool there) { bits |= there ? bit : 0U; };
  mark(kMade, change.made != nullptr);
  mark(kReady, change.ready != 0);
  mark(kExecutionChanged, change.execution_changed);
  mark(kWorker, !change.worker.empty());
  mark(kTexts, change.texts != nullptr);
  mark(kHistory, !change.history.empty());
  mark(kBirth, change.birth != nullptr);
  mark(kFailureCleared, change.failure_cleared);
  mark(kStagedCleared, change.staged_cleared);
  mark(kParent, !change.parent.is_nil());
  mark(kRedriven, !change.redriven_from.is_nil());
  mark(kForgettable, !change.durable);
  return bits;
}

std::uint32_t bits_of(const JobTexts& texts) {
  std::uint32_t bits = 0;
  const auto mark = [&bits](TextBit bit, bool there) { bits |= there ? bit : 0U; };
  mark(kFailure, texts.failure.has_value());
  mark(kExecutionFailure, texts.execution_failure.has_value());
  mark(kResult, texts.result.has_value());
  mark(kProgressMessage, texts.progress_message.has_value());
  mark(kCheckpoint, texts.checkpoint.has_value());
  mark(kTags, texts.tags.has_value());
  mark(kCorrelation, texts.correlation_id.has_value());
  mark(kCallback, texts.callback_url.has_value());
  mark(kStaged, !texts.staged.empty());
  return bits;
}

void write(ByteWriter& out, const JobTexts& texts) {
  out.varint(bits_of(texts));
  if (texts.failure) write(out, *texts.failure);
  if (texts.execution_failure) write(out, *texts.execution_failure);
  if (texts.result) write(out, *texts.result);
  if (texts.progress_message) out.text(*texts.progress_message);
  if (texts.checkpoint) out.text(*texts.checkpoint);
  if (texts.tags) write(out, *texts.tags);
  if (texts.correlation_id) out.text(*texts.correlation_id);
  if (texts.callback_url) out.text(*texts.callback_url);
  if (!texts.staged.empty()) write(out, texts.staged);
}

std::unique_ptr<JobTexts> read_job_texts(ByteReader& in, const TermsTable& known) {
  auto texts = std::make_unique<JobTexts>();
  const std::uint64_t has = in.mask(kAllTextBits);
  if (has & kFailure) texts->failure = read_failure(in);
  if (has & kExecutionFailure) texts->execution_failure = read_failure(in);
  if (has & kResult) texts->result = read_outcome(in);
  if (has & kProgressMessage) texts->progress_message = in.text();
  if (has & kCheckpoint) texts->checkpoint = in.text();
  if (has & kTags) texts->tags = read_tags(in);
  if (has & kCorrelation) texts->correlation_id = in.text();
  if (has & kCallback) texts->callback_url = in.text();
  if (has & kStaged) texts->staged = read_submissions(in, known);
  return texts;
}

void write(ByteWriter& out, const Birth& birth, Time at) {
  const bool waits = !(birth.waits == Waits{});
  out.byte(static_cast<std::uint8_t>((birth.key ? kBornWithKey : 0) | (waits ? kBornWaiting : 0)));
  if (birth.key) {
    write(out, birth.key->key);
    out.time(birth.key->expires_at, at);
  }
  if (waits) write(out, birth.waits);
}

std::unique_ptr<const Birth> read_birth(ByteReader& in, Time at) {
  auto birth = std::make_unique<Birth>();
  const std::uint8_t has = in.byte_below(kBornWithKey + kBornWaiting + 1);
  if (has & kBornWithKey) {
    const Key key = read_key(in);
    birth->key = HeldKey{key, in.time(at)};
  }
  if (has & kBornWaiting) birth->waits = read_waits(in);
  return birth;
}

// The sequence number that the entry at `place` should have: the last one has history_count.
std::int64_t seq_at(const JobChange& change, std::size_t count, std::size_t place) {
  const auto from_end = static_cast<std::int64_t>(count - place) - 1;
  return saturating_add(change.facts.history_count, -from_end);
}

void write_history(ByteWriter& out, const JobChange& change, Time at) {
  const std::size_t count = change.history.size();
  out.varint(count);
  for (std::size_t i = 0; i < count; ++i)
    write(out, change.history[i], at, seq_at(change, count, i));
}

void read_history(ByteReader& in, JobChange& change, Time at) {
  const std::size_t count = in.count();
  if (count > kMostHistory) return in.fail("a change has too much history");
  for (std::size_t i = 0; i < count; ++i)
    change.history.push_back(read_history_entry(in, at, seq_at(change, count, i)));
}

}  // namespace

void write_job_change(ByteWriter& out, const JobChange& change, Time at, TermsWritten& terms) {
  const std::uint32_t has = bits_of(change);
  out.varint(has);
  write(out, change.id);
  out.number(change.number);
  terms.write(out, change.facts.terms.get());
  write(out, change.facts, at);
  if (has & kMade) write(out, *change.made);
  if (has & kReady) out.number(change.ready);
  if (has & kWorker) out.text(change.worker);
  if (has & kTexts) write(out, *change.texts);
  if (has & kHistory) write_history(out, change, at);
  if (has & kBirth) write(out, *change.birth, at);
  if (has & kParent) write(out, change.parent);
  if (has & kRedriven) write(out, change.redriven_from);
}

JobChange read_job_change(ByteReader& in, Time at, TermsRead& terms) {
  JobChange change;
  const std::uint64_t has = in.mask(kAllChangeBits);
  change.id = read_id(in);
  change.number = in.number();
  lifecycle::TermsRef promised = terms.read(in);
  change.facts = read_facts(in, at);
  change.facts.terms = std::move(promised);
  if (has & kMade) {
    change.made = std::make_shared<const Submission>(read_submission(in, terms.kept()));
  }
  if (has & kReady) change.ready = in.number();
  if (has & kWorker) change.worker = in.text();
  if (has & kTexts) change.texts = read_job_texts(in, terms.kept());
  if (has & kHistory) read_history(in, change, at);
  if (has & kBirth) change.birth = read_birth(in, at);
  if (has & kParent) change.parent = read_id(in);
  if (has & kRedriven) change.redriven_from = read_id(in);
  change.execution_changed = (has & kExecutionChanged) != 0;
  change.failure_cleared = (has & kFailureCleared) != 0;
  change.staged_cleared = (has & kStagedCleared) != 0;
  change.durable = (has & kForgettable) == 0;
  return change;
}

}  // namespace baton::store::local
