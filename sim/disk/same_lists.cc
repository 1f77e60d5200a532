#include "sim/disk/same_lists.h"

#include <algorithm>
#include <iterator>

#include "sim/model/mismatch.h"

namespace baton::sim {
namespace {

using store::JobList;
using store::JobRecord;
using store::ListJobs;
using store::local::Rows;

constexpr int kFilters = 3;
constexpr int kOften = 300;
constexpr int kPagesAtMost = 100'000;

const JobRecord& some_job(const Rows& rows, Dice& dice) {
  const auto count = static_cast<std::int64_t>(rows.jobs().size());
  return *std::next(rows.jobs().begin(), dice.between(0, count - 1))->second;
}

// A filter that one job passes, with some of its members and a page of any size.
ListJobs some_filter(const Rows& rows, Dice& dice) {
  const JobRecord& like = some_job(rows, dice);
  const lifecycle::JobFacts& facts = like.facts;
  ListJobs filter;
  filter.limit = static_cast<std::size_t>(dice.between(1, dice.chance(500) ? 5 : 100));
  if (dice.chance(kOften)) filter.queue = like.spec->queue;
  if (dice.chance(kOften)) filter.type = like.spec->type;
  if (dice.chance(kOften)) filter.canonical_state = facts.state;
  if (dice.chance(kOften)) filter.state = facts.terms->profile->word(facts.state);
  if (dice.chance(kOften)) filter.account = like.spec->account;
  if (dice.chance(kOften)) filter.correlation_id = like.labels.correlation_id;
  if (dice.chance(kOften) && !like.labels.tags.empty()) filter.tag = like.labels.tags.front();
  if (dice.chance(kOften / 3) && !like.parent.is_nil()) filter.parent = like.parent;
  if (dice.chance(kOften / 3)) {
    filter.id_prefix = to_string(like.id).substr(0, static_cast<std::size_t>(dice.between(8, 36)));
  }
  if (dice.chance(kOften / 3)) filter.created_after = facts.created_at;
  if (dice.chance(kOften / 3)) filter.created_before = facts.created_at;
  return filter;
}

// The numbers of all pages. `page` gives the one that a filter asks for.
template <class Page>
std::vector<std::int64_t> numbers_of(ListJobs filter, Page page) {
  std::vector<std::int64_t> numbers;
  for (int i = 0; i < kPagesAtMost; ++i) {
    const JobList list = page(filter);
    if (list.jobs.size() > filter.limit) mismatch("a list has more jobs than were asked for");
    for (const auto& job : list.jobs)
      numbers.push_back(job->number);
    if (list.next_before_number == 0) return numbers;
    filter.before_number = list.next_before_number;
  }
  mismatch("a list has no end");
  return numbers;
}

}  // namespace

void compare_lists(store::local::DataDirectory& data, const Rows& expected, Dice& dice) {
  if (expected.jobs().empty()) return;
  auto reader = data.open_reader();
  if (!reader) mismatch("the catalog cannot be read: " + reader.error().message);
  for (int i = 0; i < kFilters; ++i) {
    const ListJobs filter = some_filter(expected, dice);
    const auto there = numbers_of(filter, [&](const ListJobs& asked) {
      auto list = (*reader)->list(asked);
      if (!list) mismatch("a list cannot be read: " + list.error().message);
      return std::move(*list);
    });
    const auto wanted =
        numbers_of(filter, [&](const ListJobs& asked) { return expected.list(asked); });
    expect_equal("jobs in a list", wanted.size(), there.size());
    if (wanted != there) mismatch("a list has other jobs, or in another order");
  }
}

}  // namespace baton::sim
