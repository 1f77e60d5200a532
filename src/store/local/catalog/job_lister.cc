#include "store/local/catalog/job_lister.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "store/list_page.h"
#include "store/local/catalog/list_sql.h"

namespace baton::store::local {
namespace {

// Groups with so few jobs in all are walked even when a tag or the like could be looked up.
constexpr std::int64_t kFewJobs = 10'000;
// Looking at a group or merging it costs more than looking at a job: parts of the budget's rows.
constexpr std::size_t kStandingsPart = 2;
constexpr std::size_t kGroupsPart = 20;
// A result that is not shown stands between parts that are, and is read with them: so many times
// the bytes that may be shown.
constexpr std::size_t kReadTimes = 4;

bool names_groups(const ListJobs& filter) {
  return filter.queue || filter.type || filter.state || filter.canonical_state;
}

// Jobs without an account or a correlation have no entry in the index.
bool is_text(const std::optional<std::string>& wanted) { return wanted && !wanted->empty(); }

void take_numbers(Cursor rows, std::vector<std::int64_t>& into) {
  while (rows.next())
    into.push_back(rows.integer(0));
}

}  // namespace

JobLister::JobLister(Database& database, JobRows& rows)
    : database_(database),
      rows_(rows),
      all_(database, kAllNumbersSql),
      by_standing_(database, kStandingNumbersSql),
      by_account_(database, kAccountNumbersSql),
      by_correlation_(database, kCorrelationNumbersSql),
      by_parent_(database, kParentNumbersSql),
      by_tag_(database, kTagNumbersSql),
      id_(database, "SELECT id FROM jobs WHERE number = ?"),
      standings_(database, kStandingsSql),
      queue_standings_(database, kQueueStandingsSql),
      created_(database, kCreatedSql),
      one_(database,
           "SELECT kind, state, created_at, account, correlation_id, parent FROM jobs "
           "WHERE number = ?"),
      has_tag_(database, "SELECT 1 FROM tags WHERE name = ? AND value = ? AND number = ?"),
      is_redriven_(database, "SELECT 1 FROM redrives WHERE number = ?"),
      last_number_(database, "SELECT max(number) FROM jobs"),
      in_order_(database, "SELECT value FROM meta WHERE name = 'created_in_order'") {}

JobList JobLister::list(const ListJobs& filter, const std::vector<std::int64_t>& later) {
  ListPage page(filter);
  if (filter.limit == 0) return page.take();
  const Between between = bounds_of(filter);
  NumberMerge numbers =
      filter.id_prefix ? by_prefix(filter, between, later) : candidates(filter, between);
  const std::size_t most_read = kReadTimes * filter.budget.bytes;
  std::size_t read_bytes = 0;
  while (const auto number = numbers.next()) {
    if (!page.looks_at(*number)) break;
    if (!matches(*number, filter)) continue;
    if (!page.has_room()) break;
    if (read_bytes > most_read) {
      page.end_before_it();
      break;
    }
    std::optional<JobRecord> job = rows_.read_listed(*number, filter.with, &read_bytes);
    if (!job) rows_.fail("job " + std::to_string(*number) + " is in an index only");
    if (!page.add(std::make_shared<const JobRecord>(std::move(*job)))) break;
  }
  return page.take();
}

// ---- Bounds -------------------------------------------------------------------------------------

// The number of the first job that was made at that time or later, by halving.
std::int64_t JobLister::first_made(Time at_or_after, bool exclusive) {
  Cursor last = last_number_.query();
  std::int64_t low = 0;
  std::int64_t high = last.next() ? last.integer(0) + 1 : 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    Cursor row = created_.query(middle);
    if (!row.next()) {
      high = middle;
      continue;
    }
    const Time made{row.integer(1)};
    const bool far_enough = exclusive ? made > at_or_after : made >= at_or_after;
    far_enough ? high = middle : low = row.integer(0) + 1;
  }
  return low;
}

JobLister::Between JobLister::bounds_of(const ListJobs& filter) {
  Between between{0, std::numeric_limits<std::int64_t>::max()};
  if (filter.before_number != 0) between.below = filter.before_number;
  if (!filter.created_after.is_set() && !filter.created_before.is_set()) return between;
  Cursor in_order = in_order_.query();
  if (!in_order.next() || in_order.integer(0) == 0) return between;
  if (filter.created_after.is_set()) between.above = first_made(filter.created_after, true) - 1;
  if (filter.created_before.is_set()) {
    between.below = std::min(between.below, first_made(filter.created_before, false));
  }
  return between;
}

// ---- Candidates ---------------------------------------------------------------------------------

bool JobLister::of_kind(std::int64_t number, std::int64_t state, const ListJobs& filter) {
  const JobKind& kind = rows_.kinds().at(number);
  const auto canonical = checked_enum<JobState>(database_, state);
  return (!filter.queue || kind.queue == *filter.queue) &&
         (!filter.type || kind.type == *filter.type) &&
         (!filter.canonical_state || canonical == *filter.canonical_state) &&
         (!filter.state || kind.profile->word(canonical) == *filter.state);
}

// nullopt when there are too many to look at, or to merge.
std::optional<JobLister::Groups> JobLister::groups_of(const ListJobs& filter) {
  const std::size_t most_standings = filter.budget.rows / kStandingsPart;
  const std::size_t most_groups = filter.budget.rows / kGroupsPart;
  const auto limit = static_cast<std::int64_t>(most_standings) + 1;
  Groups groups;
  std::size_t seen = 0;
  Cursor row =
      filter.queue ? queue_standings_.query(*filter.queue, limit) : standings_.query(limit);
  while (row.next()) {
    if (++seen > most_standings) return std::nullopt;
    const Standing standing{row.integer(0), row.integer(1)};
    if (row.integer(2) == 0 || !of_kind(standing.kind, standing.state, filter)) continue;
    if (groups.standings.size() == most_groups) return std::nullopt;
    groups.standings.push_back(standing);
    groups.jobs += row.integer(2);
  }
  return groups;
}

NumberMerge JobLister::by_groups(const Groups& groups, const ListJobs& filter,
                                 const Between& between) {
  std::vector<NumberMerge::Source> sources;
  sources.reserve(groups.standings.size());
  for (const Standing& one : groups.standings) {
    sources.push_back([this, one, above = between.above](std::int64_t below, std::size_t limit,
                                                         std::vector<std::int64_t>& into) {
      take_numbers(
          by_standing_.query(one.kind, one.state, below, above, static_cast<std::int64_t>(limit)),
          into);
    });
  }
  return {std::move(sources), between.below, filter.limit + 1};
}

NumberMerge JobLister::candidates(const ListJobs& filter, const Between& between) {
  const bool looked_up =
      filter.parent || filter.tag || is_text(filter.correlation_id) || is_text(filter.account);
  if (names_groups(filter)) {
    const std::optional<Groups> groups = groups_of(filter);
    if (groups && (!looked_up || groups->jobs <= kFewJobs)) {
      return by_groups(*groups, filter, between);
    }
  }
  const auto source = [this, &filter, above = between.above](std::int64_t below, std::size_t limit,
                                                             std::vector<std::int64_t>& into) {
    const auto most = static_cast<std::int64_t>(limit);
    if (filter.parent) {
      take_numbers(by_parent_.query(Blob{bytes_of(*filter.parent)}, below, above, most), into);
    } else if (filter.tag) {
      const auto& [name, value] = *filter.tag;
      take_numbers(by_tag_.query(name, value, below, above, most), into);
    } else if (is_text(filter.correlation_id)) {
      take_numbers(by_correlation_.query(*filter.correlation_id, below, above, most), into);
    } else if (is_text(filter.account)) {
      take_numbers(by_account_.query(*filter.account, below, above, most), into);
    } else {
      take_numbers(all_.query(below, above, most), into);
    }
  };
  return {{source}, between.below, filter.limit + 1};
}

// Few jobs begin alike: all of them are looked up.
NumberMerge JobLister::by_prefix(const ListJobs& filter, const Between& between,
                                 std::vector<std::int64_t> numbers) {
  const IdPrefix prefix = IdPrefix::parse(*filter.id_prefix).value();
  const std::vector<std::int64_t> in_table = rows_.ids().find(prefix, filter.budget.rows);
  numbers.insert(numbers.end(), in_table.begin(), in_table.end());
  std::sort(numbers.begin(), numbers.end(), std::greater<>());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::erase_if(numbers, [&](std::int64_t number) {
    return number <= between.above || !begins_with(number, prefix);
  });
  const auto source = [numbers = std::move(numbers)](std::int64_t below, std::size_t limit,
                                                     std::vector<std::int64_t>& into) {
    auto next = std::upper_bound(numbers.begin(), numbers.end(), below, std::greater<>());
    for (; next != numbers.end() && limit > 0; ++next, --limit)
      into.push_back(*next);
  };
  return {{source}, between.below, filter.limit + 1};
}

// A job that was found outside of the transaction may not be there yet, or no more.
bool JobLister::begins_with(std::int64_t number, const IdPrefix& prefix) {
  Cursor row = id_.query(number);
  if (!row.next()) return false;
  JobId id;
  id.uuid.bytes = rows_.sixteen(row.text(0));
  return prefix.matches(id);
}

bool JobLister::matches(std::int64_t number, const ListJobs& filter) {
  Cursor row = one_.query(number);
  if (!row.next()) rows_.fail("job " + std::to_string(number) + " is in an index only");
  const Time created{row.integer(2)};
  if (!of_kind(row.integer(0), row.integer(1), filter)) return false;
  if (filter.created_after.is_set() && created <= filter.created_after) return false;
  if (filter.created_before.is_set() && created >= filter.created_before) return false;
  if (filter.account && row.text(3) != *filter.account) return false;
  if (filter.parent && row.text(5) != bytes_of(*filter.parent)) return false;
  if (filter.correlation_id && row.text(4) != *filter.correlation_id) return false;
  if (filter.redriven && !shows(*filter.redriven, is_redriven_.query(number).next())) return false;
  if (!filter.tag) return true;
  return has_tag_.query(filter.tag->first, filter.tag->second, number).next();
}

}  // namespace baton::store::local
