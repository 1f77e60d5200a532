// Reads jobs out of the catalog's tables: a job is a row of `jobs`, a row of `bodies`, and for some
// a row of `payloads` and of `extras`. Anything that does not decode is thrown, with the job's
// number. One thread at a time.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "store/local/catalog/catalog.h"
#include "store/local/catalog/id_index.h"
#include "store/local/catalog/interned.h"
#include "store/local/catalog/sql.h"
#include "store/local/codec/job_codec.h"

namespace baton::store::local {

// A job as its rows have it, and those bytes of them that are compared before they are written.
struct JobRow {
  CatalogJob job;
  std::int64_t kind = 0;
  PayloadIs payload = PayloadIs::kInside;
  std::string body;
  std::string extras;  // empty: no row
};

class JobRows {
 public:
  JobRows(Database& database, TermsTable& terms, const Tuning& tuning, IdOptions ids = {});

  // For readers: the whole job.
  std::optional<CatalogJob> read(std::int64_t number);
  // What decisions want of it: one row, without payload, texts or history.
  std::optional<CatalogFacts> read_facts(std::int64_t number);
  // The jobs that its commit made, with the last turn that touched it; nullopt: no such job.
  std::optional<CatalogChildren> read_children(std::int64_t number);
  // The token of an execution; of the body only what stands before it is read.
  std::optional<LeaseToken> read_token(std::int64_t number, int attempt);
  // Its state, and its result unless that has more than `most` bytes: then its size. Of the body
  // only what stands before it is read.
  std::optional<CatalogResult> read_result(std::int64_t number, std::size_t most);
  // For lists: without children and what is staged, and only those parts. Adds to `read_bytes` what
  // had to be read for it.
  std::optional<JobRecord> read_listed(std::int64_t number, JobParts with, std::size_t* read_bytes);
  // For the writer: with the bytes, and without a payload that has a row of its own.
  std::optional<JobRow> read_to_change(std::int64_t number);

  // The facts of a column, with their terms.
  lifecycle::JobFacts facts_of(std::int64_t number, Time created_at,
                               std::span<const std::byte> column, bool* has_extras);
  // Fills what the extras have, of a job whose facts say that there are some.
  void read_extras(std::int64_t number, StoredJob& into, std::string* bytes = nullptr);

  // A key, its end and its payload, which stand in this order from the column `first` on.
  std::optional<HeldKey> key_of(const Cursor& row, int first) const;
  // The bytes of an id or a key.
  std::array<std::uint8_t, 16> sixteen(std::string_view bytes) const;

  Kinds& kinds() { return kinds_; }
  TermsNumbers& terms() { return terms_; }
  IdIndex& ids() { return ids_; }
  // After a rollback.
  void forget();
  const TermsTable& kept() const { return kept_; }
  [[noreturn]] void fail(const std::string& why) const { database_.fail(why); }
  [[noreturn]] void fail(std::int64_t number, const ByteReader& in, std::string_view what) const;

 private:
  std::optional<JobRow> read_row(std::int64_t number, bool keep_bytes);
  void take_columns(const Cursor& row, JobRow& into);
  void take_body(const Cursor& row, JobRow& into, bool keep_bytes, JobParts with = kAllParts);
  std::string payload_of(std::int64_t number);
  // Sets what is kept beside an ended job of which a copy was made.
  template <class Job>
  void read_redrive(std::int64_t number, Job& into);
  std::string start_of_body(std::int64_t number, std::size_t bytes, bool* whole);

  Database& database_;
  TermsTable& kept_;
  Kinds kinds_;
  TermsNumbers terms_;
  IdIndex ids_;
  Statement by_number_;
  Statement facts_;
  Statement is_there_;
  Statement extras_;
  Statement payload_;
  Statement redrive_;
};

}  // namespace baton::store::local
