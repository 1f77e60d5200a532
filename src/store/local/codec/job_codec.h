// The packed columns of the catalog. A job is spread over them by who reads what: the facts, which
// every load reads; the submission, which never changes; the body, which only readers want; the
// extras, which few jobs have. Each begins with its version (docs/catalog-format.md). Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "store/local/codec/byte_reader.h"
#include "store/local/machine/row_change.h"
#include "store/local/machine/terms_table.h"

namespace baton::store::local {

struct FactsColumn {
  lifecycle::JobFacts facts;  // read: without terms
  std::int64_t terms = 0;     // their number in the catalog; 0: they stand in this column
  bool has_extras = false;    // the job has a row of extras
  std::optional<lifecycle::Terms> own_terms = {};  // read, when they stand here
};

std::string facts_column(const FactsColumn& facts);
// `created_at` is a column of its own. What reads looks at the reader's failure, here and below.
void read_facts_column(ByteReader& in, Time created_at, const TermsTable& known, FactsColumn& into);

// The catalog keeps large payloads apart.
enum class PayloadIs : std::uint8_t { kInside, kElsewhere };

std::string spec_column(const Submission& spec, PayloadIs payload);
// `payload` says what was written: kElsewhere leaves the payload of the value empty.
Submission read_spec_column(ByteReader& in, const TermsTable& known, PayloadIs* payload);

// Executions, history, texts, and where the job came from. Labels that are as submitted and the
// latest execution, which is in the facts, are left out.
std::string body_column(const JobRecord& record);
// The record has its facts and its submission already. Result and checkpoint are passed over unless
// they are wanted.
void read_body_column(ByteReader& in, JobRecord& record, JobParts with = kAllParts);

// Only one execution of a body, which may be cut off behind it; nullopt when there is none.
std::optional<lifecycle::ExecutionFacts> read_body_execution(ByteReader& in,
                                                             const lifecycle::JobFacts& facts,
                                                             int attempt);

// Only the result of a body, which may be cut off behind it.
struct BodyResult {
  std::optional<Outcome> result;  // unset: there is none, or it is too large
  std::size_t bytes = 0;          // of one that is too large
};
// A result of more than `most` bytes is not read: the body may be cut off within it.
BodyResult read_body_result(ByteReader& in, const lifecycle::JobFacts& facts, std::size_t most);

// What a job waits for, has staged and has made; empty when it has none of these.
std::string extras_column(const StoredJob& job);
void read_extras_column(ByteReader& in, const TermsTable& known, StoredJob& job);

std::string terms_column(const lifecycle::Terms& terms);
lifecycle::Terms read_terms_column(ByteReader& in, const TermsTable& known);

std::string settings_column(const QueueSettings& settings);
QueueSettings read_settings_column(ByteReader& in, const TermsTable& known);

std::string times_column(const std::vector<Time>& times);
std::vector<Time> read_times_column(ByteReader& in);

}  // namespace baton::store::local
