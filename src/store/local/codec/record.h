// A stored record as a table of rows, in the order in which they are written, and the loops that
// write and read by such a table. A row is `Always<&Failure::code>()`: the type of the member picks
// its form (values.h). What many records do not have costs a bit of the record's marks instead:
// `Marked<6, &ExecutionFacts::lease>()` is written, and bit 6 set, when the member is not as in a
// fresh object. The bits are written to disk (docs/catalog-format.md): do not renumber. A new
// member takes the next free one, and is as in a fresh object where older records do not have it.
//
// Rows are types without members and all of their functions are inline, so that a table costs
// nothing at run time. A member with needs of its own has a struct with the functions of a row.
// Pure but for the bytes that are lent.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/member_path.h"
#include "store/local/codec/byte_reader.h"
#include "store/local/codec/byte_writer.h"
#include "store/local/codec/job_codec.h"

namespace baton::store::local {

class TermsWritten;
class TermsRead;

// Turns of earlier versions say of an account all submissions of the past hour, later ones only
// those that a change adds.
inline constexpr std::uint8_t kTurnOfAdditions = 2;
// The version in which turns are written (docs/catalog-format.md). All up to it are read.
inline constexpr std::uint8_t kTurnVersion = 3;

// What writing some rows needs beside the object.
struct WriteContext {
  Time from = {};        // times are kept as distances from it
  std::int64_t seq = 0;  // that the next history entry should have, and nearly always has
  const lifecycle::ExecutionFacts* latest = nullptr;  // in the facts of the job
  PayloadIs payload = PayloadIs::kInside;
  TermsWritten* terms = nullptr;  // in a turn
};

template <class Bytes>
struct RecordWriter : WriteContext {
  RecordWriter(Bytes& out, const WriteContext& context) : WriteContext(context), bytes(out) {}
  ByteWriter<Bytes> bytes;
};

// The same for reading. What cannot be is a failure of `bytes`, which is looked at in the end.
struct RecordReader {
  ByteReader& bytes;
  const TermsTable* known = nullptr;  // the backoff functions that settings may name
  Time from = {};
  std::int64_t seq = 0;
  const lifecycle::ExecutionFacts* latest = nullptr;
  PayloadIs* payload = nullptr;  // set to what was found; nullptr: it must be inside
  JobParts parts = kAllParts;    // the others are passed over
  TermsRead* terms = nullptr;
  std::uint8_t turn_version = kTurnVersion;
};

// ---- Tables -----------------------------------------------------------------------------------

template <class... Rows>
struct Record {
  constexpr Record(Rows...) {}  // NOLINT(google-explicit-constructor): a table is a list

  static constexpr std::size_t kLeastBytes = (Rows::kLeastBytes + ... + 0);
  static_assert((Rows::kBits + ... + 0U) == (Rows::kBits | ... | 0U), "a bit is used twice");

  static std::uint32_t marks(const WriteContext& out, const auto& object) {
    return (Rows::marks(out, object) | ... | 0U);
  }
  // The bits that have a meaning.
  static std::uint32_t known(std::uint8_t turn_version = kTurnVersion) {
    return ((turn_version < Rows::kSinceTurn ? 0U : Rows::kBits) | ... | 0U);
  }
  static void write(auto& out, const auto& object) {
    const std::uint32_t has = marks(out, object);
    (Rows::write(out, object, has), ...);
  }
  static void read(RecordReader& in, auto& object) {
    std::uint32_t has = known(in.turn_version);  // until Marks has read which of them are set
    (Rows::read(in, object, has), ...);
  }
};

// The table of a type. A specialization stands before its first use.
struct NoRecord {};
template <class T>
inline constexpr NoRecord kRecord = {};
template <class T>
using RecordOf = std::remove_cvref_t<decltype(kRecord<T>)>;
template <class T>
concept HasRecord = !std::same_as<RecordOf<T>, NoRecord>;

template <HasRecord T>
void write_value(auto& out, const T& value) {
  RecordOf<T>::write(out, value);
}
template <HasRecord T>
void read_value(RecordReader& in, T& into) {
  RecordOf<T>::read(in, into);
}

// The fewest bytes that a value takes: no count of more than could follow asks for memory.
template <class T>
inline constexpr std::size_t kLeastBytes = 1;
template <HasRecord T>
inline constexpr std::size_t kLeastBytes<T> = RecordOf<T>::kLeastBytes;

// ---- Rows -------------------------------------------------------------------------------------

// What a row is unless it says otherwise.
struct PlainRow {
  static constexpr std::size_t kLeastBytes = 0;
  static constexpr std::uint32_t kBits = 0;
  static constexpr std::uint8_t kSinceTurn = 0;  // the version that turns must have
  static std::uint32_t marks(const WriteContext&, const auto&) { return 0; }
  static void write(auto&, const auto&, std::uint32_t) {}
};

// The marks of the rows after it. Comes before all rows that have one.
struct Marks : PlainRow {
  static constexpr std::size_t kLeastBytes = 1;
  static void write(auto& out, const auto&, std::uint32_t has) { out.bytes.varint(has); }
  static void read(RecordReader& in, auto&, std::uint32_t& has) {
    has = static_cast<std::uint32_t>(in.bytes.mask(has));
  }
};

// The same in one byte; its bits are used from the lowest on.
struct MarksByte : PlainRow {
  static constexpr std::size_t kLeastBytes = 1;
  static void write(auto& out, const auto&, std::uint32_t has) {
    out.bytes.byte(static_cast<std::uint8_t>(has));
  }
  static void read(RecordReader& in, auto&, std::uint32_t& has) {
    has = in.bytes.byte_below(has + 1);
  }
};

// Members that every record has, in this order.
template <auto... Members>
struct Always : PlainRow {
  static constexpr std::size_t kLeastBytes = (local::kLeastBytes<base::MemberAt<Members>> + ...);
  static void write(auto& out, const auto& object, std::uint32_t) {
    (write_value(out, object.*Members), ...);
  }
  static void read(RecordReader& in, auto& object, std::uint32_t) {
    (read_value(in, object.*Members), ...);
  }
};

// A part of a record that is there when its bit is set. `Part` says whether it is, and writes and
// reads it.
template <int Bit, class Part>
struct Sometimes : PlainRow {
  static constexpr std::uint32_t kBits = 1U << Bit;
  static std::uint32_t marks(const WriteContext&, const auto& object) {
    return Part::is_there(object) ? kBits : 0;
  }
  static void write(auto& out, const auto& object, std::uint32_t has) {
    if ((has & kBits) != 0) Part::write(out, object);
  }
  static void read(RecordReader& in, auto& object, std::uint32_t has) {
    if ((has & kBits) != 0) Part::read(in, object);
  }
};

// How the member is in an object that nothing was done to.
template <auto... Path>
inline const auto kFresh = base::member_of<Path...>(base::ObjectOf<Path...>{});

template <auto... Path>
bool is_fresh(const base::ObjectOf<Path...>& object) {
  const auto& value = base::member_of<Path...>(object);
  using Value = base::MemberAt<Path...>;
  if constexpr (requires { value.has_value(); }) {
    return !value.has_value();
  } else if constexpr (requires { value.is_nil(); }) {
    return value.is_nil();
  } else if constexpr (requires { value.get(); }) {
    return value.get() == nullptr;
  } else if constexpr (requires { value.empty(); } && !std::same_as<Value, std::string>) {
    return value.empty();
  } else {
    return value == kFresh<Path...>;
  }
}

template <auto... Path>
struct MemberPart {
  static bool is_there(const auto& object) { return !is_fresh<Path...>(object); }
  static void write(auto& out, const auto& object) {
    write_value(out, base::member_of<Path...>(object));
  }
  static void read(RecordReader& in, auto& object) {
    read_value(in, base::member_to_fill<Path...>(object));
  }
};
template <int Bit, auto... Path>
using Marked = Sometimes<Bit, MemberPart<Path...>>;

// A bool that is nothing but its bit: set when it is not as in a fresh object.
template <int Bit, auto Member>
struct Flag : PlainRow {
  static constexpr std::uint32_t kBits = 1U << Bit;
  static std::uint32_t marks(const WriteContext&, const auto& object) {
    return object.*Member == kFresh<Member> ? 0 : kBits;
  }
  static void read(RecordReader&, auto& object, std::uint32_t has) {
    object.*Member = ((has & kBits) != 0) != kFresh<Member>;
  }
};

template <auto... Path>
struct MemberPath {};

// A member that is left out when it is the same as another one, which was read before.
template <int Bit, class Member, class Other>
struct UnlessSame;
template <int Bit, auto... Path, auto... Other>
struct UnlessSame<Bit, MemberPath<Path...>, MemberPath<Other...>> : Marked<Bit, Path...> {
  using Marked<Bit, Path...>::kBits;
  static std::uint32_t marks(const WriteContext&, const auto& object) {
    return base::member_of<Path...>(object) == base::member_of<Other...>(object) ? 0 : kBits;
  }
  static void read(RecordReader& in, auto& object, std::uint32_t has) {
    auto& into = base::member_to_fill<Path...>(object);
    if ((has & kBits) != 0) return read_value(in, into);
    into = base::member_of<Other...>(object);
  }
};

// The enumerator with this number, which must have a name, or the number itself.
template <class T>
void read_small(RecordReader& in, std::uint32_t number, T& into) {
  if constexpr (Named<T>) {
    if (number >= kNames<T>.size()) return in.bytes.fail("a value has no meaning");
  }
  into = static_cast<T>(number);
}

// A small number or word that stands in `Width` bits of the marks.
template <int Bit, int Width, auto Member>
struct InMarks : PlainRow {
  static constexpr std::uint32_t kBits = ((1U << Width) - 1) << Bit;
  static std::uint32_t marks(const WriteContext&, const auto& object) {
    return static_cast<std::uint32_t>(object.*Member) << Bit;
  }
  static void read(RecordReader& in, auto& object, std::uint32_t has) {
    read_small(in, (has & kBits) >> Bit, object.*Member);
  }
};

// Two words of four bits in one byte.
template <auto Low, auto High>
struct TwoInAByte : PlainRow {
  static constexpr std::size_t kLeastBytes = 1;
  static void write(auto& out, const auto& object, std::uint32_t) {
    const auto high = static_cast<unsigned>(object.*High) << 4;
    out.bytes.byte(static_cast<std::uint8_t>(static_cast<unsigned>(object.*Low) | high));
  }
  static void read(RecordReader& in, auto& object, std::uint32_t) {
    const std::uint8_t both = in.bytes.byte();
    read_small(in, both & 0x0fU, object.*Low);
    read_small(in, both >> 4U, object.*High);
  }
};

// A row that turns have from this version on, and one that they had only before it.
template <std::uint8_t Version, class Row>
struct SinceTurn : Row {
  static constexpr std::uint8_t kSinceTurn = Version;
};
template <std::uint8_t Version, auto Read>
struct BeforeTurn : PlainRow {
  static void read(RecordReader& in, auto& object, std::uint32_t) {
    if (in.turn_version < Version) Read(in, object);
  }
};

}  // namespace baton::store::local
