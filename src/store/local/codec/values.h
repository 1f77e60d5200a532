// How single values are stored: numbers, texts, words, times, ids, lists. `read_value` reads what
// `write_value` wrote; a value that cannot be is a failure of the reader. Pure but for the bytes
// that are lent.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/local/codec/record.h"
#include "store/record.h"

namespace baton::store::local {

// A key, a token: bytes whose number is fixed.
template <class T>
concept FixedBytes = requires(T value) {
  value.bytes.fill(0);
};
template <FixedBytes T>
inline constexpr std::size_t kLeastBytes<T> = sizeof(T::bytes);
template <>
inline constexpr std::size_t kLeastBytes<JobId> = kLeastBytes<Uuid>;
template <class A, class B>
inline constexpr std::size_t kLeastBytes<std::pair<A, B>> = kLeastBytes<A> + kLeastBytes<B>;
template <class T>
inline constexpr std::size_t kLeastBytes<std::shared_ptr<const T>> = kLeastBytes<T>;

// ---- Single values ------------------------------------------------------------------------------

void write_value(auto& out, bool value) { out.bytes.byte(value); }
void write_value(auto& out, int value) { out.bytes.signed_number(value); }
void write_value(auto& out, std::int64_t value) { out.bytes.number(value); }
void write_value(auto& out, std::uint32_t value) { out.bytes.varint(value); }
void write_value(auto& out, std::size_t value) { out.bytes.varint(value); }
void write_value(auto& out, double value) { out.bytes.real(value); }
void write_value(auto& out, const std::string& value) { out.bytes.text(value); }
void write_value(auto& out, Duration value) { out.bytes.signed_number(value.ms); }
void write_value(auto& out, Time value) { out.bytes.time(value, out.from); }
void write_value(auto& out, const JobId& value) { out.bytes.raw(value.uuid.bytes); }
template <class T>
requires std::is_enum_v<T>
void write_value(auto& out, T value) { out.bytes.byte(static_cast<std::uint8_t>(value)); }
template <FixedBytes T>
void write_value(auto& out, const T& value) {
  out.bytes.raw(value.bytes);
}

inline void read_value(RecordReader& in, bool& into) { into = in.bytes.byte_below(2) == 1; }
inline void read_value(RecordReader& in, int& into) { into = in.bytes.small_number(); }
inline void read_value(RecordReader& in, std::int64_t& into) { into = in.bytes.number(); }
inline void read_value(RecordReader& in, std::uint32_t& into) { into = in.bytes.index(); }
inline void read_value(RecordReader& in, std::size_t& into) { into = in.bytes.varint(); }
inline void read_value(RecordReader& in, double& into) { into = in.bytes.real(); }
inline void read_value(RecordReader& in, std::string& into) { into = in.bytes.text(); }
inline void read_value(RecordReader& in, Duration& into) { into.ms = in.bytes.signed_number(); }
inline void read_value(RecordReader& in, Time& into) { into = in.bytes.time(in.from); }
inline void read_value(RecordReader& in, JobId& into) { in.bytes.raw(into.uuid.bytes); }
template <Named T>
void read_value(RecordReader& in, T& into) {
  into = static_cast<T>(in.bytes.byte_below(kNames<T>.size()));
}
inline void read_value(RecordReader& in, Idempotency& into) {
  constexpr auto kLast = static_cast<std::size_t>(Idempotency::kNone);
  into = static_cast<Idempotency>(in.bytes.byte_below(kLast + 1));
}
template <FixedBytes T>
void read_value(RecordReader& in, T& into) {
  in.bytes.raw(into.bytes);
}

// ---- Values of values ---------------------------------------------------------------------------

template <class A, class B>
void write_value(auto& out, const std::pair<A, B>& value) {
  write_value(out, value.first);
  write_value(out, value.second);
}
template <class A, class B>
void read_value(RecordReader& in, std::pair<A, B>& into) {
  read_value(in, into.first);
  read_value(in, into.second);
}

// Whether an optional or a pointer has a value, the marks of its record say.
template <class T>
void write_value(auto& out, const std::optional<T>& value) {
  write_value(out, *value);
}
template <class T>
void read_value(RecordReader& in, std::optional<T>& into) {
  read_value(in, into.emplace());
}

template <class T>
void write_value(auto& out, const std::shared_ptr<const T>& value) {
  write_value(out, *value);
}
template <class T>
void read_value(RecordReader& in, std::shared_ptr<const T>& into) {
  read_value(in, base::own(into));
}

template <class T>
void write_value(auto& out, const std::unique_ptr<T>& value) {
  write_value(out, *value);
}
template <class T>
void read_value(RecordReader& in, std::unique_ptr<T>& into) {
  auto made = std::make_unique<std::remove_const_t<T>>();
  read_value(in, *made);
  into = std::move(made);
}

// An element is much larger in memory than it may be here: no garbage reserves gigabytes.
inline constexpr std::size_t kReserveAtMost = 1024;

template <class T>
void write_value(auto& out, const std::vector<T>& values) {
  out.bytes.varint(values.size());
  for (const T& value : values)
    write_value(out, value);
}
template <class T>
void read_value(RecordReader& in, std::vector<T>& into) {
  const std::size_t count = in.bytes.count(kLeastBytes<T>);
  into.reserve(std::min(count, kReserveAtMost));
  for (std::size_t i = 0; i < count && in.bytes.ok(); ++i)
    read_value(in, into.emplace_back());
}

// Times that are near each other: each is kept as its distance from the one before.
void write_value(auto& out, const std::vector<Time>& times) {
  out.bytes.varint(times.size());
  for (Time from = out.from; const Time& time : times)
    out.bytes.time(time, std::exchange(from, time));
}
inline void read_value(RecordReader& in, std::vector<Time>& into) {
  into.resize(in.bytes.count());
  for (Time from = in.from; Time & time : into)
    from = time = in.bytes.time(from);
}

// ---- Small records ------------------------------------------------------------------------------

template <>
inline constexpr Record kRecord<Failure> = {
    Always<&Failure::category, &Failure::code, &Failure::message, &Failure::cause>(),
};

template <>
inline constexpr Record kRecord<Outcome> = {
    Always<&Outcome::bytes, &Outcome::content_type>(),
};

}  // namespace baton::store::local
