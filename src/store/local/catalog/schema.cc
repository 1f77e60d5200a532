#include "store/local/catalog/schema.h"

#include <string>

namespace baton::store::local {
namespace {

// "Batn": what the file says it is, beside being a database.
constexpr std::int64_t kApplicationId = 0x4261'746e;

// The first format. Once released, a step is never changed: a later format is one step more.
constexpr const char* kMakeTables = R"sql(
CREATE TABLE meta(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta(name, value)
  VALUES ('applied_turn', 0), ('applied_time', 0), ('last_number', 0), ('created_in_order', 1);

CREATE TABLE kinds(
  kind INTEGER PRIMARY KEY,
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  profile TEXT NOT NULL,
  UNIQUE (queue, type, profile)) STRICT;
CREATE TABLE terms(terms INTEGER PRIMARY KEY, value BLOB NOT NULL UNIQUE) STRICT;
CREATE TABLE counts(
  kind INTEGER NOT NULL,
  state INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (kind, state)) STRICT, WITHOUT ROWID;

CREATE TABLE jobs(
  number INTEGER PRIMARY KEY,
  kind INTEGER NOT NULL,
  state INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  ready INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  id BLOB NOT NULL,
  facts BLOB NOT NULL,
  completed_at INTEGER,
  account TEXT,
  correlation_id TEXT,
  key BLOB,
  key_expires INTEGER) STRICT;
CREATE INDEX jobs_by_kind ON jobs(kind, state);
CREATE INDEX jobs_by_end ON jobs(kind, state, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX jobs_by_account ON jobs(account) WHERE account IS NOT NULL;
CREATE INDEX jobs_by_correlation ON jobs(correlation_id) WHERE correlation_id IS NOT NULL;
CREATE INDEX jobs_by_key_end ON jobs(key_expires) WHERE key_expires IS NOT NULL;
CREATE TABLE ids(
  head INTEGER NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (head, number)) STRICT, WITHOUT ROWID;
CREATE TABLE id_slices(slice INTEGER PRIMARY KEY, until INTEGER NOT NULL) STRICT;
INSERT INTO id_slices(slice, until)
  WITH RECURSIVE slices(slice) AS (SELECT 0 UNION ALL SELECT slice + 1 FROM slices LIMIT 16)
  SELECT slice, 0 FROM slices;
CREATE TABLE bodies(number INTEGER PRIMARY KEY, spec BLOB NOT NULL, body BLOB NOT NULL) STRICT;
CREATE TABLE payloads(number INTEGER PRIMARY KEY, payload BLOB NOT NULL) STRICT;
CREATE TABLE extras(number INTEGER PRIMARY KEY, extras BLOB NOT NULL) STRICT;
CREATE TABLE tags(
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  number INTEGER NOT NULL,
  PRIMARY KEY (name, value, number)) STRICT, WITHOUT ROWID;

CREATE TABLE queues(name TEXT PRIMARY KEY, settings BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE accounts(
  id TEXT PRIMARY KEY,
  tier INTEGER NOT NULL,
  granted INTEGER NOT NULL,
  available INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  captured INTEGER NOT NULL,
  active_jobs INTEGER NOT NULL,
  entry_count INTEGER NOT NULL,
  submissions BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE entries(
  account TEXT NOT NULL,
  seq INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  amount INTEGER NOT NULL,
  job BLOB,
  at INTEGER NOT NULL,
  granted INTEGER NOT NULL,
  available INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  captured INTEGER NOT NULL,
  PRIMARY KEY (account, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE grant_keys(
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  PRIMARY KEY (account, key)) STRICT, WITHOUT ROWID;
CREATE TABLE audit(
  seq INTEGER PRIMARY KEY,
  action TEXT NOT NULL,
  job BLOB NOT NULL,
  account TEXT NOT NULL,
  at INTEGER NOT NULL) STRICT;
)sql";

// The second one is the first with a checksum on every page, which the file system beneath SQLite
// has seen to, and with a count of the seals that end a write-ahead log (connection.cc).
constexpr const char* kAddSeals = "INSERT INTO meta(name, value) VALUES ('seals', 0)";

// To which store it belongs, and what it knows of the log beside it.
constexpr const char* kAddBelonging =
    "INSERT INTO meta(name, value) VALUES ('store_id', 0), ('log_turn', 0)";

// Terms may stand in the facts of a job. The tables are as they were; programs that do not expect
// it are to refuse the file.
constexpr const char* kTermsInFacts = "-- no statement";

// Copies of ended jobs, the payloads that keys stand for, and the children of a job by an index;
// `parents_known` is 0 until that of the jobs made before is filled.
constexpr const char* kAddRedrives = R"sql(
CREATE TABLE redrives(
  number INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  job BLOB NOT NULL) STRICT;
ALTER TABLE jobs ADD COLUMN key_payload INTEGER;
ALTER TABLE jobs ADD COLUMN parent BLOB;
CREATE INDEX jobs_by_parent ON jobs(parent) WHERE parent IS NOT NULL;
INSERT INTO meta(name, value) VALUES ('parents_known', 0);
)sql";

constexpr const char* kSteps[] = {kMakeTables, kAddSeals, kAddBelonging, kTermsInFacts,
                                  kAddRedrives};

std::int64_t version_of(Database& database) {
  if (database.number("PRAGMA application_id") != kApplicationId) {
    const bool empty = database.number("SELECT count(*) FROM sqlite_schema") == 0;
    if (empty && database.number("PRAGMA application_id") == 0) return 0;
    database.refuse("the file is not a catalog");
  }
  return meta_value(database, "format");
}

}  // namespace

MigrationSteps migration_steps() { return kSteps; }

std::int64_t meta_value(Database& database, const char* name) {
  Statement find(database, "SELECT value FROM meta WHERE name = ?");
  Cursor row = find.query(std::string_view(name));
  if (!row.next()) database.fail("there is no " + std::string(name) + " in its meta table");
  return row.integer(0);
}

std::int64_t format_of(Database& database, MigrationSteps steps) {
  const auto known = static_cast<std::int64_t>(steps.size());
  const std::int64_t version = version_of(database);
  if (version > known) {
    database.refuse("its format is version " + std::to_string(version) +
                    ", and this program knows versions up to " + std::to_string(known));
  }
  return version;
}

void migrate(Database& database, MigrationSteps steps) {
  const auto known = static_cast<std::int64_t>(steps.size());
  if (format_of(database, steps) == known) return;
  Transaction transaction(database, Transaction::Kind::kWrite);
  // Somebody else may have come first.
  for (std::int64_t version = format_of(database, steps); version < known; ++version)
    database.run(steps[static_cast<std::size_t>(version)]);
  Statement(database, "INSERT OR REPLACE INTO meta(name, value) VALUES ('format', ?)").run(known);
  database.run(("PRAGMA application_id = " + std::to_string(kApplicationId)).c_str());
  transaction.commit();
}

}  // namespace baton::store::local
