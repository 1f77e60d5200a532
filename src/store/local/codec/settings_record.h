// The tables of settings: of retries and timeouts, the terms of a job, a queue. A profile is kept
// by its name, a backoff function by the name that the embedding program gave it. Both are looked
// up when they are read, and a name that the program does not know is a failure that says it. Pure.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/assert.h"
#include "store/local/codec/values.h"
#include "store/local/machine/terms_table.h"

namespace baton::store::local {

using lifecycle::Profile;
using lifecycle::RetryPolicy;
using lifecycle::Terms;
using lifecycle::TermsRef;

// ---- Names that the program must know -----------------------------------------------------------

inline BackoffFunction known_function(RecordReader& in, const std::string& name) {
  const BackoffFunction function = lifecycle::find_function(in.known->functions(), name);
  if (function == nullptr && in.bytes.ok()) {
    in.bytes.fail_unknown("the backoff function \"" + name + "\" is not registered");
  }
  return function;
}

void write_value(auto& out, const Profile* profile) { out.bytes.text(profile->name); }
inline void read_value(RecordReader& in, const Profile*& into) {
  const std::string_view name = in.bytes.text();
  into = lifecycle::find_profile(name);
  if (into == nullptr && in.bytes.ok()) {
    in.bytes.fail_unknown("there is no profile \"" + std::string(name) + "\"");
  }
}

// ---- Retries and timeouts -----------------------------------------------------------------------

// A second bit says that the name stands for a function. Without that it was never registered, and
// so never used.
struct RetryFunction : Marked<7, &Retry::function> {
  static constexpr std::uint32_t kNamed = Marked<7, &Retry::function>::kBits;
  static constexpr std::uint32_t kBits = kNamed | 1 << 8;
  static std::uint32_t marks(const WriteContext&, const Retry& retry) {
    return retry.function.empty() ? 0 : kBits;
  }
  static void read(RecordReader& in, Retry& into, std::uint32_t has) {
    if ((has & kNamed) != 0) read_value(in, into.function);
    if ((has & ~kNamed & kBits) == 0) return into.function.clear();
    known_function(in, into.function);
  }
};

template <>
inline constexpr Record kRecord<Retry> = {
    Marks(),
    Marked<0, &Retry::max_attempts>(),
    Marked<1, &Retry::strategy>(),
    Marked<2, &Retry::initial>(),
    Marked<3, &Retry::multiplier>(),
    Marked<4, &Retry::max>(),
    Marked<5, &Retry::jitter>(),
    Marked<6, &Retry::table>(),
    RetryFunction(),
};

template <>
inline constexpr Record kRecord<Timeouts> = {
    Marks(),
    Marked<0, &Timeouts::execution>(),
    Marked<1, &Timeouts::lease>(),
    Marked<2, &Timeouts::lifetime>(),
};

// ---- Terms --------------------------------------------------------------------------------------

// Whether the name, which was read before, stands for a function.
struct PolicyFunction : PlainRow {
  static constexpr std::size_t kLeastBytes = 1;
  static void write(auto& out, const RetryPolicy& retry, std::uint32_t) {
    BATON_ASSERT(retry.function == nullptr || !retry.function_name.empty());
    out.bytes.byte(retry.function != nullptr);
  }
  static void read(RecordReader& in, RetryPolicy& into, std::uint32_t) {
    if (in.bytes.byte_below(2) == 1) into.function = known_function(in, into.function_name);
  }
};

template <>
inline constexpr Record kRecord<RetryPolicy> = {
    Always<&RetryPolicy::max_attempts, &RetryPolicy::strategy, &RetryPolicy::initial,
           &RetryPolicy::multiplier, &RetryPolicy::max, &RetryPolicy::jitter, &RetryPolicy::table,
           &RetryPolicy::function_name>(),
    PolicyFunction(),
};

template <>
inline constexpr Record kRecord<Terms> = {
    Always<&Terms::profile, &Terms::retry, &Terms::lease, &Terms::execution, &Terms::lifetime,
           &Terms::timeout_is, &Terms::system_is>(),
};

// A turn has terms where they are first met, and a number after that. These are the terms that it
// has met so far, while it is written.
class TermsWritten {
 public:
  void write(auto& out, const TermsRef& terms) {
    BATON_ASSERT(terms.get() != nullptr);
    if (terms.get() == latest_) return out.bytes.varint(latest_number_);
    const auto [found, is_new] = numbers_.emplace(terms.get(), numbers_.size());
    latest_ = terms.get();
    latest_number_ = found->second;
    out.bytes.varint(latest_number_);
    if (is_new) write_value(out, *terms);
  }

 private:
  boost::unordered_flat_map<const Terms*, std::uint64_t> numbers_;
  const Terms* latest_ = nullptr;
  std::uint64_t latest_number_ = 0;
};

// The same, while it is read.
class TermsRead {
 public:
  explicit TermsRead(TermsTable& kept) : kept_(kept) {}
  // nullptr only after a failure.
  TermsRef read(RecordReader& in) {
    const std::uint64_t number = in.bytes.varint();
    if (number < met_.size()) return met_[number];
    if (number > met_.size()) in.bytes.fail("terms have no meaning");
    Terms terms;
    read_value(in, terms);
    if (!in.bytes.ok()) return nullptr;
    return met_.emplace_back(kept_.keep(std::move(terms)));
  }

 private:
  TermsTable& kept_;
  std::vector<TermsRef> met_;
};

void write_value(auto& out, const TermsRef& terms) { out.terms->write(out, terms); }
inline void read_value(RecordReader& in, TermsRef& into) { into = in.terms->read(in); }

// ---- Queues -------------------------------------------------------------------------------------

template <>
inline constexpr Record kRecord<RateLimit> = {
    Always<&RateLimit::per_second, &RateLimit::burst>(),
};

// The name of a profile that there is.
struct QueueProfile : Always<&QueueSettings::profile> {
  static void read(RecordReader& in, QueueSettings& into, std::uint32_t) {
    const Profile* profile = nullptr;
    read_value(in, profile);
    if (profile != nullptr) into.profile = profile->name;
  }
};

template <>
inline constexpr Record kRecord<QueueSettings> = {
    Marks(),
    QueueProfile(),
    Always<&QueueSettings::retry>(),
    Always<&QueueSettings::timeouts>(),
    Marked<0, &QueueSettings::timeout_is>(),
    Marked<1, &QueueSettings::system_is>(),
    Always<&QueueSettings::idempotency_window>(),
    Always<&QueueSettings::max_payload_bytes>(),
    Marked<2, &QueueSettings::max_pending>(),
    Marked<3, &QueueSettings::max_running>(),
    Marked<4, &QueueSettings::rate>(),
    Always<&QueueSettings::keep_completed>(),
    Always<&QueueSettings::keep_failed>(),
    Flag<5, &QueueSettings::paused>(),
    Flag<6, &QueueSettings::draining>(),
};

}  // namespace baton::store::local
