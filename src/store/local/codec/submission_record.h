// The table of a submission, with its payload or without: the catalog keeps large payloads apart.
// Pure.
#pragma once

#include "store/local/codec/settings_record.h"

namespace baton::store::local {

template <>
inline constexpr Record kRecord<Dependency> = {
    Always<&Dependency::type, &Dependency::allow_failures, &Dependency::jobs>(),
};

template <>
inline constexpr Record kRecord<Unique> = {
    Always<&Unique::key, &Unique::held_while, &Unique::on_conflict>(),
};

struct Payload : PlainRow {
  static constexpr std::size_t kLeastBytes = 1;
  static constexpr std::uint32_t kBits = 1 << 19;  // it stands elsewhere
  static std::uint32_t marks(const WriteContext& out, const Submission&) {
    return out.payload == PayloadIs::kInside ? 0 : kBits;
  }
  static void write(auto& out, const Submission& spec, std::uint32_t has) {
    if ((has & kBits) == 0) write_value(out, spec.payload);
  }
  static void read(RecordReader& in, Submission& into, std::uint32_t has) {
    if ((has & kBits) == 0) read_value(in, into.payload);
  }
};

// Whether the payload may stand elsewhere is asked when all else has been read.
struct PayloadPlace : PlainRow {
  static void read(RecordReader& in, Submission&, std::uint32_t has) {
    const bool inside = (has & Payload::kBits) == 0;
    if (in.payload != nullptr) {
      *in.payload = inside ? PayloadIs::kInside : PayloadIs::kElsewhere;
    } else if (!inside) {
      in.bytes.fail("a payload is missing");
    }
  }
};

// A time that may be far from any other.
struct RunAt {
  static bool is_there(const Submission& spec) { return spec.run_at.has_value(); }
  static void write(auto& out, const Submission& spec) { out.bytes.time(*spec.run_at, Time{}); }
  static void read(RecordReader& in, Submission& into) { into.run_at = in.bytes.time(Time{}); }
};

template <>
inline constexpr Record kRecord<Submission> = {
    Marks(),
    Always<&Submission::type>(),
    Always<&Submission::queue>(),
    Payload(),
    Marked<0, &Submission::priority>(),
    Marked<1, &Submission::idempotency_key>(),
    Marked<2, &Submission::tags>(),
    Marked<3, &Submission::account>(),
    Marked<4, &Submission::correlation_id>(),
    Marked<5, &Submission::cost>(),
    Marked<6, &Submission::depends_on>(),
    Marked<7, &Submission::content_type>(),
    Marked<8, &Submission::delay>(),
    Sometimes<9, RunAt>(),
    Marked<10, &Submission::idempotency>(),
    Marked<11, &Submission::retry>(),
    Marked<12, &Submission::timeouts>(),
    Marked<13, &Submission::callback_url>(),
    Marked<14, &Submission::traceparent>(),
    Marked<15, &Submission::timeout_is>(),
    Marked<16, &Submission::system_is>(),
    Flag<17, &Submission::draft>(),
    Marked<18, &Submission::ref>(),
    Marked<20, &Submission::unique>(),
    PayloadPlace(),
};

}  // namespace baton::store::local
