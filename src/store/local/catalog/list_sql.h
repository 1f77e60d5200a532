// The statements that find the numbers of jobs, each by one index, newest first. They stand here so
// that a test can ask SQLite how it runs them: none may read more than it gives.
#pragma once

namespace baton::store::local {

// Arguments: … , below, above, limit. `number` lies between the two, which are left out.
inline constexpr const char* kAllNumbersSql =
    "SELECT number FROM jobs WHERE number < ? AND number > ? ORDER BY number DESC LIMIT ?";
inline constexpr const char* kStandingNumbersSql =
    "SELECT number FROM jobs INDEXED BY jobs_by_kind WHERE kind = ? AND state = ? "
    "AND number < ? AND number > ? ORDER BY number DESC LIMIT ?";
inline constexpr const char* kAccountNumbersSql =
    "SELECT number FROM jobs INDEXED BY jobs_by_account WHERE account = ? "
    "AND number < ? AND number > ? ORDER BY number DESC LIMIT ?";
inline constexpr const char* kCorrelationNumbersSql =
    "SELECT number FROM jobs INDEXED BY jobs_by_correlation WHERE correlation_id = ? "
    "AND number < ? AND number > ? ORDER BY number DESC LIMIT ?";
inline constexpr const char* kParentNumbersSql =
    "SELECT number FROM jobs INDEXED BY jobs_by_parent WHERE parent = ? "
    "AND number < ? AND number > ? ORDER BY number DESC LIMIT ?";
inline constexpr const char* kTagNumbersSql =
    "SELECT number FROM tags WHERE name = ? AND value = ? "
    "AND number < ? AND number > ? ORDER BY number DESC LIMIT ?";

// By the first bits of their ids, in any order: lowest, highest, limit.
inline constexpr const char* kHeadNumbersSql =
    "SELECT number FROM ids WHERE head >= ? AND head <= ? LIMIT ?";

// Which kinds of jobs there are, in all or in one queue, and how many in each state: … , limit. A
// count may be 0.
inline constexpr const char* kStandingsSql = "SELECT kind, state, count FROM counts LIMIT ?";
inline constexpr const char* kQueueStandingsSql =
    "SELECT kind, state, count FROM kinds CROSS JOIN counts USING (kind) WHERE queue = ? LIMIT ?";

// One account, and one key of its grants.
inline constexpr const char* kAccountSql =
    "SELECT tier, granted, available, reserved, captured, active_jobs, entry_count, submissions "
    "FROM accounts WHERE id = ?";
inline constexpr const char* kGrantSql = "SELECT 1 FROM grant_keys WHERE account = ? AND key = ?";

// Oldest first: account, after, limit.
inline constexpr const char* kEntriesSql =
    "SELECT seq, kind, amount, job, at, granted, available, reserved, captured FROM entries "
    "WHERE account = ? AND seq > ? ORDER BY seq LIMIT ?";

// The same from one on: kind, state, limit. Empty ones too, so that none of them is read unseen.
inline constexpr const char* kStandingsAfterSql =
    "SELECT kind, state, count FROM counts WHERE (kind, state) > (?, ?) ORDER BY kind, state "
    "LIMIT ?";

// Oldest first: kind, state, end, number or until, limit. First those that ended together with the
// one before, then the later ones.
inline constexpr const char* kEndedTogetherSql =
    "SELECT completed_at, number, id, key, key_expires, key_payload FROM jobs "
    "INDEXED BY jobs_by_end "
    "WHERE kind = ? AND state = ? AND completed_at = ? AND number > ? ORDER BY number LIMIT ?";
inline constexpr const char* kEndedSql =
    "SELECT completed_at, number, id, key, key_expires, key_payload FROM jobs "
    "INDEXED BY jobs_by_end "
    "WHERE kind = ? AND state = ? AND completed_at > ? AND completed_at <= ? "
    "ORDER BY completed_at, number LIMIT ?";

// The first job from a number on, and when it was made.
inline constexpr const char* kCreatedSql =
    "SELECT number, created_at FROM jobs WHERE number >= ? ORDER BY number LIMIT 1";

}  // namespace baton::store::local
