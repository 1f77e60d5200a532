#include "store/local/catalog/ledger_writer.h"

#include "store/local/catalog/job_rows.h"
#include "store/local/codec/job_codec.h"

namespace baton::store::local {

LedgerWriter::LedgerWriter(Database& database)
    : database_(database),
      put_account_(database,
                   "INSERT INTO accounts(id, tier, granted, available, reserved, captured, "
                   "active_jobs, entry_count, submissions) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) "
                   "ON CONFLICT (id) DO UPDATE SET tier = excluded.tier, "
                   "granted = excluded.granted, available = excluded.available, "
                   "reserved = excluded.reserved, captured = excluded.captured, "
                   "active_jobs = excluded.active_jobs, "
                   "entry_count = max(entry_count, excluded.entry_count), "
                   "submissions = iif(?, excluded.submissions, submissions)"),
      submissions_(database, "SELECT submissions FROM accounts WHERE id = ?"),
      add_entry_(database,
                 "INSERT INTO entries(account, seq, kind, amount, job, at, granted, available, "
                 "reserved, captured) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      add_grant_key_(database, "INSERT OR IGNORE INTO grant_keys(account, key) VALUES (?, ?)") {}

void LedgerWriter::add(const AccountChange& change) {
  const std::string& account = change.account.id;
  Latest& latest = latest_[account];
  latest.change = &change;
  if (change.entry) {
    latest.entry_count = change.entry->seq;
    add_entry(account, *change.entry);
  }
  if (!change.grant_key.empty()) add_grant_key_.run(account, change.grant_key);
  if (!change.hour && !change.submitted.is_set()) return;
  if (!latest.submissions) latest.submissions = submissions_of(account);
  apply(*latest.submissions, change);
}

std::vector<Time> LedgerWriter::submissions_of(const std::string& account) {
  Cursor row = submissions_.query(account);
  if (!row.next()) return {};
  ByteReader in(row.blob(0));
  std::vector<Time> submissions = read_times_column(in);
  if (!in.ok()) database_.fail(in.error("account " + account));
  return submissions;
}

void LedgerWriter::add_entry(const std::string& account, const LedgerEntry& entry) {
  std::optional<Blob> job;
  if (!entry.job.is_nil()) job = Blob{bytes_of(entry.job)};
  add_entry_.run(account, entry.seq, static_cast<int>(entry.kind), entry.amount, job, entry.at.ms,
                 entry.after.granted, entry.after.available, entry.after.reserved,
                 entry.after.captured);
}

void LedgerWriter::write() {
  for (const auto& [id, latest] : latest_) {
    const Account& account = latest.change->account;
    const Balance& balance = account.balance;
    const std::string submissions = times_column(latest.submissions.value_or(std::vector<Time>()));
    put_account_.run(id, static_cast<int>(account.tier), balance.granted, balance.available,
                     balance.reserved, balance.captured, account.active_jobs, latest.entry_count,
                     Blob{submissions}, latest.submissions ? 1 : 0);
  }
  latest_.clear();
}

}  // namespace baton::store::local
