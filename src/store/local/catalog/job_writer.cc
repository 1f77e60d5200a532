#include "store/local/catalog/job_writer.h"

#include <cstring>

namespace baton::store::local {
namespace {

// A payload beyond this has a row of its own, so that a job that changes does not write it again.
constexpr std::size_t kLargePayload = 1024;

std::optional<std::int64_t> optional_time(Time time) {
  return time.is_set() ? std::optional(time.ms) : std::nullopt;
}

std::optional<std::string_view> optional_text(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<std::string_view>(text);
}

std::optional<Blob> key_bytes(const std::optional<HeldKey>& held) {
  if (!held) return std::nullopt;
  const auto& bytes = held->key.bytes;
  return Blob{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
}

std::optional<Blob> parent_bytes(const JobId& parent) {
  return parent.is_nil() ? std::nullopt : std::optional(Blob{bytes_of(parent)});
}

std::optional<std::int64_t> key_end(const std::optional<HeldKey>& held) {
  return held ? std::optional(held->expires_at.ms) : std::nullopt;
}

std::optional<std::int64_t> key_payload(const std::optional<HeldKey>& held) {
  if (!held || !held->payload.is_known()) return std::nullopt;
  std::int64_t number;
  std::memcpy(&number, held->payload.bytes.data(), sizeof number);
  return number;
}

int number_of(JobState state) { return static_cast<int>(state); }

}  // namespace

JobWriter::JobWriter(Database& database, JobRows& rows)
    : rows_(rows),
      add_job_(database,
               "INSERT INTO jobs(number, kind, state, created_at, ready, turn, id, facts, "
               "completed_at, account, correlation_id, key, key_expires, key_payload, parent) "
               "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      add_body_(database, "INSERT INTO bodies(number, spec, body) VALUES (?, ?, ?)"),
      add_payload_(database, "INSERT INTO payloads(number, payload) VALUES (?, ?)"),
      put_extras_(database, "INSERT OR REPLACE INTO extras(number, extras) VALUES (?, ?)"),
      add_tag_(database, "INSERT OR IGNORE INTO tags(name, value, number) VALUES (?, ?, ?)"),
      change_facts_(database,
                    "UPDATE jobs SET facts = ?2, ready = ?3, turn = ?4 WHERE number = ?1"),
      change_state_(database,
                    "UPDATE jobs SET facts = ?2, ready = ?3, turn = ?4, state = ?5, "
                    "completed_at = ?6 WHERE number = ?1"),
      change_correlation_(database, "UPDATE jobs SET correlation_id = ?2 WHERE number = ?1"),
      change_key_(database,
                  "UPDATE jobs SET key = ?2, key_expires = ?3, key_payload = ?4 WHERE number = ?1"),
      change_body_(database, "UPDATE bodies SET body = ?2 WHERE number = ?1"),
      remove_job_(database, "DELETE FROM jobs WHERE number = ?"),
      remove_body_(database, "DELETE FROM bodies WHERE number = ?"),
      remove_payload_(database, "DELETE FROM payloads WHERE number = ?"),
      remove_extras_(database, "DELETE FROM extras WHERE number = ?"),
      remove_redrive_(database, "DELETE FROM redrives WHERE number = ?"),
      remove_tag_(database, "DELETE FROM tags WHERE name = ? AND value = ? AND number = ?"),
      add_count_(database,
                 "INSERT INTO counts(kind, state, count) VALUES (?, ?, ?) "
                 "ON CONFLICT (kind, state) DO UPDATE SET count = count + excluded.count") {}

void JobWriter::write(std::span<TouchedJob* const> jobs) {
  counts_.clear();
  for (const TouchedJob* job : jobs) {
    const JobRecord& record = job->job.record;
    if (job->gone && is_bad_ending(record.facts.state)) {
      remove_redrive_.run(record.number);
    }
    if (job->before && job->gone) {
      remove(*job);
    } else if (job->before) {
      change(*job);
    } else if (!job->gone) {
      add(*job);
    }
  }
  write_counts();
}

std::int64_t JobWriter::kind_of(const JobRecord& record) {
  return rows_.kinds().number(record.spec->queue, record.spec->type, record.facts.terms->profile);
}

std::string JobWriter::facts_of(const JobRecord& record, bool has_extras) {
  return facts_column({record.facts, rows_.terms().number(record.facts.terms), has_extras});
}

void JobWriter::add(const TouchedJob& touched) {
  const StoredJob& job = touched.job;
  const JobRecord& record = job.record;
  const std::int64_t kind = kind_of(record);
  const std::string extras = extras_column(job);
  const std::string facts = facts_of(record, !extras.empty());
  add_job_.run(record.number, kind, number_of(record.facts.state), record.facts.created_at.ms,
               job.ready, static_cast<std::int64_t>(touched.turn), Blob{bytes_of(record.id)},
               Blob{facts}, optional_time(record.facts.completed_at),
               optional_text(record.spec->account), optional_text(record.labels.correlation_id),
               key_bytes(job.key), key_end(job.key), key_payload(job.key),
               parent_bytes(record.parent));
  const bool large = record.spec->payload.size() > kLargePayload;
  const std::string spec =
      spec_column(*record.spec, large ? PayloadIs::kElsewhere : PayloadIs::kInside);
  add_body_.run(record.number, Blob{spec}, Blob{body_column(record)});
  if (large) add_payload_.run(record.number, Blob{record.spec->payload});
  if (!extras.empty()) put_extras_.run(record.number, Blob{extras});
  add_tags(record.number, record.labels);
  rows_.ids().added(record.id, record.number);
  ++counts_[{kind, record.facts.state}];
}

void JobWriter::change(const TouchedJob& touched) {
  const RowBefore& before = *touched.before;
  const StoredJob& job = touched.job;
  const JobRecord& record = job.record;
  const std::string extras = extras_column(job);
  change_row(touched, before, !extras.empty());
  const std::string body = body_column(record);
  if (body != before.body) change_body_.run(record.number, Blob{body});
  if (extras != before.extras) {
    extras.empty() ? remove_extras_.run(record.number)
                   : put_extras_.run(record.number, Blob{extras});
  }
  if (record.labels.tags != before.labels.tags) {
    remove_tags(record.number, before.labels);
    add_tags(record.number, record.labels);
  }
}

void JobWriter::change_row(const TouchedJob& touched, const RowBefore& before, bool has_extras) {
  const StoredJob& job = touched.job;
  const JobRecord& record = job.record;
  const auto turn = static_cast<std::int64_t>(touched.turn);
  const std::string facts = facts_of(record, has_extras);
  const JobState state = record.facts.state;
  // A statement that names an indexed column writes the index, whether the value differs or not.
  if (state == before.state) {
    change_facts_.run(record.number, Blob{facts}, job.ready, turn);
  } else {
    change_state_.run(record.number, Blob{facts}, job.ready, turn, number_of(state),
                      optional_time(record.facts.completed_at));
    --counts_[{before.kind, before.state}];
    ++counts_[{before.kind, state}];
  }
  if (record.labels.correlation_id != before.labels.correlation_id) {
    change_correlation_.run(record.number, optional_text(record.labels.correlation_id));
  }
  if (job.key != before.key) {
    change_key_.run(record.number, key_bytes(job.key), key_end(job.key), key_payload(job.key));
  }
}

void JobWriter::remove(const TouchedJob& touched) {
  const RowBefore& before = *touched.before;
  const JobRecord& record = touched.job.record;
  remove_job_.run(record.number);
  remove_body_.run(record.number);
  if (before.payload == PayloadIs::kElsewhere) remove_payload_.run(record.number);
  if (!before.extras.empty()) remove_extras_.run(record.number);
  remove_tags(record.number, before.labels);
  rows_.ids().remove(record.id, record.number);
  --counts_[{before.kind, before.state}];
}

void JobWriter::add_tags(std::int64_t number, const Labels& labels) {
  for (const auto& [name, value] : labels.tags)
    add_tag_.run(name, value, number);
}

void JobWriter::remove_tags(std::int64_t number, const Labels& labels) {
  for (const auto& [name, value] : labels.tags)
    remove_tag_.run(name, value, number);
}

void JobWriter::write_counts() {
  for (const auto& [standing, by] : counts_) {
    if (by != 0) add_count_.run(standing.first, number_of(standing.second), by);
  }
}

}  // namespace baton::store::local
