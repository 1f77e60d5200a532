#include "store/local/catalog/job_rows.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace baton::store::local {
namespace {

enum Column : int {
  kKind,
  kCreatedAt,
  kReady,
  kTurn,
  kId,
  kFacts,
  kKey,
  kKeyExpires,
  kKeyPayload,
  kSpec,
  kBody,
};

enum FactsColumnOf : int {
  kFactsKind,
  kFactsCreatedAt,
  kFactsTurn,
  kFactsId,
  kFactsFacts,
  kFactsKey,
};

constexpr const char* kFactsByNumber =
    "SELECT kind, created_at, turn, id, facts, key, key_expires, key_payload "
    "FROM jobs WHERE number = ?";

// So much of a body is read first when only its executions are wanted.
constexpr std::size_t kFirstBodyBytes = 4096;

constexpr const char* kByNumber =
    "SELECT kind, created_at, ready, turn, id, facts, key, key_expires, key_payload, spec, body "
    "FROM jobs JOIN bodies USING (number) WHERE number = ?";

}  // namespace

JobRows::JobRows(Database& database, TermsTable& terms, const Tuning& tuning, IdOptions ids)
    : database_(database),
      kept_(terms),
      kinds_(database, tuning),
      terms_(database, terms, tuning),
      ids_(database, std::move(ids)),
      by_number_(database, kByNumber),
      facts_(database, kFactsByNumber),
      is_there_(database, "SELECT 1 FROM jobs WHERE number = ?"),
      extras_(database, "SELECT extras FROM extras WHERE number = ?"),
      payload_(database, "SELECT payload FROM payloads WHERE number = ?"),
      redrive_(database, "SELECT version, job FROM redrives WHERE number = ?") {}

void JobRows::fail(std::int64_t number, const ByteReader& in, std::string_view what) const {
  database_.fail(in.error("the " + std::string(what) + " of job " + std::to_string(number)));
}

std::array<std::uint8_t, 16> JobRows::sixteen(std::string_view bytes) const {
  std::array<std::uint8_t, 16> taken{};
  if (bytes.size() != taken.size()) database_.fail("an id or a key has not sixteen bytes");
  std::memcpy(taken.data(), bytes.data(), taken.size());
  return taken;
}

void JobRows::forget() {
  kinds_.forget();
  terms_.forget();
  ids_.forget();
}

lifecycle::JobFacts JobRows::facts_of(std::int64_t number, Time created_at,
                                      std::span<const std::byte> column, bool* has_extras) {
  FactsColumn decoded;
  ByteReader in(column);
  read_facts_column(in, created_at, kept_, decoded);
  if (!in.ok()) fail(number, in, "facts");
  decoded.facts.terms =
      decoded.own_terms ? kept_.keep(std::move(*decoded.own_terms)) : terms_.at(decoded.terms);
  *has_extras = decoded.has_extras;
  return std::move(decoded.facts);
}

void JobRows::read_extras(std::int64_t number, StoredJob& into, std::string* bytes) {
  Cursor row = extras_.query(number);
  if (!row.next()) database_.fail("job " + std::to_string(number) + " has lost its extras");
  ByteReader in(row.blob(0));
  read_extras_column(in, kept_, into);
  if (!in.ok()) fail(number, in, "extras");
  if (bytes != nullptr) *bytes = row.text(0);
}

template <class Job>
void JobRows::read_redrive(std::int64_t number, Job& into) {
  if (!is_bad_ending(into.facts.state)) return;
  Cursor row = redrive_.query(number);
  if (!row.next()) return;
  into.facts.version = row.integer(0);
  into.redriven_to.uuid.bytes = sixteen(row.text(1));
}

std::optional<HeldKey> JobRows::key_of(const Cursor& row, int first) const {
  if (row.is_null(first + 1)) return std::nullopt;
  HeldKey held{Key{sixteen(row.text(first))}, Time{row.integer(first + 1)}};
  // Jobs of earlier versions have none.
  const std::int64_t payload = row.is_null(first + 2) ? 0 : row.integer(first + 2);
  std::memcpy(held.payload.bytes.data(), &payload, sizeof payload);
  return held;
}

std::string JobRows::payload_of(std::int64_t number) {
  Cursor row = payload_.query(number);
  if (!row.next()) database_.fail("job " + std::to_string(number) + " has lost its payload");
  return std::string(row.text(0));
}

std::optional<CatalogJob> JobRows::read(std::int64_t number) {
  std::optional<JobRow> row = read_row(number, false);
  if (!row) return std::nullopt;
  return std::move(row->job);
}

std::optional<CatalogFacts> JobRows::read_facts(std::int64_t number) {
  Cursor row = facts_.query(number);
  if (!row.next()) return std::nullopt;
  CatalogFacts read;
  read.turn = static_cast<std::uint64_t>(row.integer(kFactsTurn));
  read.job.number = number;
  read.job.id.uuid.bytes = sixteen(row.text(kFactsId));
  read.job.facts =
      facts_of(number, Time{row.integer(kFactsCreatedAt)}, row.blob(kFactsFacts), &read.has_extras);
  read.job.queue = kinds_.at(row.integer(kFactsKind)).queue;
  read_redrive(number, read.job);
  read.job.key = key_of(row, kFactsKey);
  return read;
}

std::optional<CatalogChildren> JobRows::read_children(std::int64_t number) {
  const std::optional<CatalogFacts> facts = read_facts(number);
  if (!facts) return std::nullopt;
  StoredJob extras;
  if (facts->has_extras) read_extras(number, extras);
  return CatalogChildren{std::move(extras.record.children), facts->turn};
}

std::optional<LeaseToken> JobRows::read_token(std::int64_t number, int attempt) {
  const std::optional<CatalogFacts> facts = read_facts(number);
  if (!facts || attempt < 1) return std::nullopt;
  bool whole = false;
  for (std::size_t bytes = kFirstBodyBytes;; bytes *= 16) {
    const std::string body = start_of_body(number, bytes, &whole);
    ByteReader in(std::as_bytes(std::span(body)));
    auto execution = read_body_execution(in, facts->job.facts, attempt);
    if (in.ok()) return execution ? std::optional(execution->token) : std::nullopt;
    // It may only have been cut off.
    if (whole) fail(number, in, "body");
  }
}

std::optional<CatalogResult> JobRows::read_result(std::int64_t number, std::size_t most) {
  std::optional<CatalogFacts> facts = read_facts(number);
  if (!facts) return std::nullopt;
  CatalogResult read{std::move(*facts), {}};
  const lifecycle::JobFacts& job = read.facts.job.facts;
  // Only a commit leaves a result.
  if (job.state != JobState::kCompleted && job.state != JobState::kRunning) return read;
  bool whole = false;
  for (std::size_t bytes = kFirstBodyBytes;; bytes *= 16) {
    const std::string body = start_of_body(number, bytes, &whole);
    ByteReader in(std::as_bytes(std::span(body)));
    read.body = read_body_result(in, job, most);
    if (in.ok()) return read;
    // It may only have been cut off.
    if (whole) fail(number, in, "body");
  }
}

std::string JobRows::start_of_body(std::int64_t number, std::size_t bytes, bool* whole) {
  sqlite3_blob* blob = nullptr;
  const int opened =
      sqlite3_blob_open(database_.handle(), "main", "bodies", "body", number, 0, &blob);
  const std::unique_ptr<sqlite3_blob, int (*)(sqlite3_blob*)> close(blob, sqlite3_blob_close);
  if (opened != SQLITE_OK) database_.fail(opened);
  const auto size = static_cast<std::size_t>(sqlite3_blob_bytes(blob));
  *whole = size <= bytes;
  std::string start(std::min(size, bytes), '\0');
  const int read = sqlite3_blob_read(blob, start.data(), static_cast<int>(start.size()), 0);
  if (read != SQLITE_OK) database_.fail(read);
  database_.count_row();
  database_.count_bytes(start.size());
  return start;
}

std::optional<JobRecord> JobRows::read_listed(std::int64_t number, JobParts with,
                                              std::size_t* read_bytes) {
  Cursor row = by_number_.query(number);
  if (!row.next()) return std::nullopt;
  JobRow read;
  JobRecord& record = read.job.job.record;
  record.number = number;
  bool has_extras = false;
  const Time created_at{row.integer(kCreatedAt)};
  record.facts = facts_of(number, created_at, row.blob(kFacts), &has_extras);
  take_columns(row, read);
  take_body(row, read, false, with);
  read_redrive(number, record);
  *read_bytes += row.blob(kSpec).size() + row.blob(kBody).size() + record.spec->payload.size();
  return std::move(record);
}

std::optional<JobRow> JobRows::read_to_change(std::int64_t number) {
  return read_row(number, true);
}

std::optional<JobRow> JobRows::read_row(std::int64_t number, bool keep_bytes) {
  Cursor row = by_number_.query(number);
  if (!row.next()) {
    if (!is_there_.query(number).next()) return std::nullopt;
    database_.fail("job " + std::to_string(number) + " has lost its body");
  }
  std::optional<JobRow> read(std::in_place);
  JobRecord& record = read->job.job.record;
  record.number = number;
  bool has_extras = false;
  const Time created_at{row.integer(kCreatedAt)};
  record.facts = facts_of(number, created_at, row.blob(kFacts), &has_extras);
  take_columns(row, *read);
  take_body(row, *read, keep_bytes);
  // The writer writes facts as they were at the end.
  if (!keep_bytes) read_redrive(number, record);
  if (has_extras) read_extras(number, read->job.job, keep_bytes ? &read->extras : nullptr);
  return read;
}

void JobRows::take_columns(const Cursor& row, JobRow& into) {
  StoredJob& job = into.job.job;
  into.kind = row.integer(kKind);
  into.job.turn = static_cast<std::uint64_t>(row.integer(kTurn));
  job.ready = row.integer(kReady);
  job.record.id.uuid.bytes = sixteen(row.text(kId));
  job.key = key_of(row, kKey);
}

void JobRows::take_body(const Cursor& row, JobRow& into, bool keep_bytes, JobParts with) {
  JobRecord& record = into.job.job.record;
  ByteReader spec_in(row.blob(kSpec));
  Submission spec = read_spec_column(spec_in, kept_, &into.payload);
  if (!spec_in.ok()) fail(record.number, spec_in, "submission");
  if (into.payload == PayloadIs::kElsewhere && !keep_bytes && with.payload) {
    spec.payload = payload_of(record.number);
  }
  record.spec = std::make_shared<const Submission>(std::move(spec));
  ByteReader body_in(row.blob(kBody));
  read_body_column(body_in, record, with);
  if (!body_in.ok()) fail(record.number, body_in, "body");
  if (keep_bytes) into.body = row.text(kBody);
}

}  // namespace baton::store::local
