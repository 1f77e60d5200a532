// The row changes of a turn as bytes, one function pair for each kind of change. What a turn says
// once for all its changes is in the context: its time, and the terms, which are written where they
// are first met and are a number after that. Pure.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <vector>

#include "store/local/codec/byte_reader.h"
#include "store/local/codec/byte_writer.h"
#include "store/local/machine/row_change.h"
#include "store/local/machine/terms_table.h"

namespace baton::store::local {

// Turns of earlier versions say of an account all submissions of the past hour, later ones only
// those that a change adds.
inline constexpr std::uint8_t kTurnOfAdditions = 2;
// The version in which turns are written (docs/catalog-format.md). All up to it are read.
inline constexpr std::uint8_t kTurnVersion = 2;

struct TurnHead {
  std::uint8_t version = kTurnVersion;
  Time at;
};

// The terms that a turn has met so far, while it is written.
class TermsWritten {
 public:
  void write(ByteWriter& out, const lifecycle::Terms* terms);

 private:
  boost::unordered_flat_map<const lifecycle::Terms*, std::uint64_t> numbers_;
  const lifecycle::Terms* latest_ = nullptr;
  std::uint64_t latest_number_ = 0;
};

// The same, while it is read.
class TermsRead {
 public:
  explicit TermsRead(TermsTable& kept) : kept_(kept) {}
  // nullptr only after a failure.
  lifecycle::TermsRef read(ByteReader& in);
  const TermsTable& kept() const { return kept_; }

 private:
  TermsTable& kept_;
  std::vector<lifecycle::TermsRef> met_;
};

void write_change(ByteWriter& out, const RowChange& change, Time at, TermsWritten& terms);
RowChange read_change(ByteReader& in, const TurnHead& head, TermsRead& terms);

void write(ByteWriter& out, const Waits& waits);
Waits read_waits(ByteReader& in);

}  // namespace baton::store::local
