#include "store/local/codec/submission_codec.h"

#include "store/local/codec/settings_codec.h"
#include "store/local/codec/text_codec.h"

namespace baton::store::local {
namespace {

// What is there, a bit each, the usual ones first. The numbers are written to disk
// (docs/catalog-format.md): do not renumber.
enum Bit : std::uint32_t {
  kPriority = 1 << 0,
  kIdempotencyKey = 1 << 1,
  kTags = 1 << 2,
  kAccount = 1 << 3,
  kCorrelation = 1 << 4,
  kCost = 1 << 5,
  kDependsOn = 1 << 6,
  kContentType = 1 << 7,
  kDelay = 1 << 8,
  kRunAt = 1 << 9,
  kIdempotency = 1 << 10,
  kRetry = 1 << 11,
  kTimeouts = 1 << 12,
  kCallback = 1 << 13,
  kTraceparent = 1 << 14,
  kTimeoutIs = 1 << 15,
  kSystemIs = 1 << 16,
  kDraft = 1 << 17,
  kRef = 1 << 18,
  kPayloadElsewhere = 1 << 19,
  kAllBits = (1 << 20) - 1,
};

const Submission& plain() {
  static const Submission kPlain;
  return kPlain;
}

std::uint32_t bits_of(const Submission& spec) {
  std::uint32_t bits = 0;
  const auto mark = [&bits](Bit bit, bool there) { bits |= there ? bit : 0U; };
  mark(kPriority, spec.priority != plain().priority);
  mark(kIdempotencyKey, spec.idempotency_key.has_value());
  mark(kTags, !spec.tags.empty());
  mark(kAccount, !spec.account.empty());
  mark(kCorrelation, !spec.correlation_id.empty());
  mark(kCost, spec.cost.has_value());
  mark(kDependsOn, !spec.depends_on.empty());
  mark(kContentType, spec.content_type != plain().content_type);
  mark(kDelay, spec.delay.has_value());
  mark(kRunAt, spec.run_at.has_value());
  mark(kIdempotency, spec.idempotency != plain().idempotency);
  mark(kRetry, !(spec.retry == plain().retry));
  mark(kTimeouts, !(spec.timeouts == plain().timeouts));
  mark(kCallback, !spec.callback_url.empty());
  mark(kTraceparent, !spec.traceparent.empty());
  mark(kTimeoutIs, spec.timeout_is.has_value());
  mark(kSystemIs, spec.system_is.has_value());
  mark(kDraft, spec.draft);
  mark(kRef, !spec.ref.empty());
  return bits;
}

void write_dependencies(ByteWriter& out, const std::vector<Dependency>& depends_on) {
  out.varint(depends_on.size());
  for (const Dependency& group : depends_on) {
    out.enumerator(group.type);
    out.byte(group.allow_failures);
    out.varint(group.jobs.size());
    for (const std::string& job : group.jobs)
      out.text(job);
  }
}

std::vector<Dependency> read_dependencies(ByteReader& in) {
  std::vector<Dependency> depends_on(in.count(3));
  for (Dependency& group : depends_on) {
    group.type = in.enumerator<DependencyType>();
    group.allow_failures = in.byte_below(2) == 1;
    group.jobs.resize(in.count());
    for (std::string& job : group.jobs)
      job = in.text();
  }
  return depends_on;
}

// What only some submissions have, in the order of the bits.
void write_rest(ByteWriter& out, const Submission& spec, std::uint32_t has) {
  if (has & kPriority) out.enumerator(spec.priority);
  if (has & kIdempotencyKey) out.text(*spec.idempotency_key);
  if (has & kTags) write(out, spec.tags);
  if (has & kAccount) out.text(spec.account);
  if (has & kCorrelation) out.text(spec.correlation_id);
  if (has & kCost) out.number(*spec.cost);
  if (has & kDependsOn) write_dependencies(out, spec.depends_on);
  if (has & kContentType) out.text(spec.content_type);
  if (has & kDelay) out.duration(*spec.delay);
  if (has & kRunAt) out.time(*spec.run_at, Time{});
  if (has & kIdempotency) out.enumerator(spec.idempotency);
  if (has & kRetry) write(out, spec.retry);
  if (has & kTimeouts) write(out, spec.timeouts);
  if (has & kCallback) out.text(spec.callback_url);
  if (has & kTraceparent) out.text(spec.traceparent);
  if (has & kTimeoutIs) out.enumerator(*spec.timeout_is);
  if (has & kSystemIs) out.enumerator(*spec.system_is);
  if (has & kRef) out.text(spec.ref);
}

void read_rest(ByteReader& in, Submission& spec, std::uint64_t has, const TermsTable& known) {
  if (has & kPriority) spec.priority = in.enumerator<Priority>();
  if (has & kIdempotencyKey) spec.idempotency_key = in.text();
  if (has & kTags) spec.tags = read_tags(in);
  if (has & kAccount) spec.account = in.text();
  if (has & kCorrelation) spec.correlation_id = in.text();
  if (has & kCost) spec.cost = in.number();
  if (has & kDependsOn) spec.depends_on = read_dependencies(in);
  if (has & kContentType) spec.content_type = in.text();
  if (has & kDelay) spec.delay = in.duration();
  if (has & kRunAt) spec.run_at = in.time(Time{});
  if (has & kIdempotency) {
    spec.idempotency =
        static_cast<Idempotency>(in.byte_below(static_cast<std::size_t>(Idempotency::kNone) + 1));
  }
  if (has & kRetry) spec.retry = read_retry_settings(in, known);
  if (has & kTimeouts) spec.timeouts = read_timeout_settings(in);
  if (has & kCallback) spec.callback_url = in.text();
  if (has & kTraceparent) spec.traceparent = in.text();
  if (has & kTimeoutIs) spec.timeout_is = in.enumerator<FailureIs>();
  if (has & kSystemIs) spec.system_is = in.enumerator<FailureIs>();
  if (has & kRef) spec.ref = in.text();
  spec.draft = (has & kDraft) != 0;
}

}  // namespace

void write(ByteWriter& out, const Submission& spec, PayloadIs payload) {
  const bool inside = payload == PayloadIs::kInside;
  const std::uint32_t has = bits_of(spec) | (inside ? 0U : kPayloadElsewhere);
  out.varint(has);
  out.text(spec.type);
  out.text(spec.queue);
  if (inside) out.text(spec.payload);
  write_rest(out, spec, has);
}

Submission read_submission(ByteReader& in, const TermsTable& known, PayloadIs* payload) {
  Submission spec;
  const std::uint64_t has = in.mask(kAllBits);
  const bool inside = (has & kPayloadElsewhere) == 0;
  spec.type = in.text();
  spec.queue = in.text();
  if (inside) spec.payload = in.text();
  read_rest(in, spec, has, known);
  if (payload != nullptr) {
    *payload = inside ? PayloadIs::kInside : PayloadIs::kElsewhere;
  } else if (!inside) {
    in.fail("a payload is missing");
  }
  return spec;
}

void write(ByteWriter& out, const Submissions& specs) {
  out.varint(specs.size());
  for (const auto& spec : specs)
    write(out, *spec);
}

Submissions read_submissions(ByteReader& in, const TermsTable& known) {
  Submissions specs;
  for (std::size_t left = in.count(4); left > 0 && in.ok(); --left)
    specs.push_back(std::make_shared<const Submission>(read_submission(in, known)));
  return specs;
}

}  // namespace baton::store::local
