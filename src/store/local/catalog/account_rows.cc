#include "store/local/catalog/account_rows.h"

#include "store/local/catalog/list_sql.h"
#include "store/local/codec/job_codec.h"

namespace baton::store::local {

AccountRows::AccountRows(Database& database)
    : database_(database), account_(database, kAccountSql), grant_(database, kGrantSql) {}

std::optional<StoredAccount> AccountRows::read(std::string_view id) {
  Cursor row = account_.query(id);
  if (!row.next()) return std::nullopt;
  StoredAccount account;
  account.account.id = id;
  account.account.tier = checked_enum<Tier>(database_, row.integer(0));
  account.account.balance = {row.integer(1), row.integer(2), row.integer(3), row.integer(4)};
  account.account.active_jobs = row.integer(5);
  account.entry_count = row.integer(6);
  if (!lifecycle::balances(account.account.balance)) {
    database_.fail("account " + account.account.id + " does not balance");
  }
  ByteReader in(row.blob(7));
  account.submissions = read_times_column(in);
  if (!in.ok()) database_.fail(in.error("account " + account.account.id));
  return account;
}

bool AccountRows::has_grant(std::string_view account, std::string_view key) {
  return grant_.query(account, key).next();
}

}  // namespace baton::store::local
