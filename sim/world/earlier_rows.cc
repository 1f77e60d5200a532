#include "sim/world/earlier_rows.h"

#include "sim/disk/disk_store.h"

namespace baton::sim {

void EarlierRows::add(std::uint64_t turn, const std::vector<store::local::RowChange>& changes,
                      std::uint64_t durable) {
  Later later;
  later.turn = turn;
  later.changes.reserve(changes.size());
  for (const store::local::RowChange& change : changes)
    later.changes.push_back(copy_of(change));
  later_.push_back(std::move(later));
  if (!held_) go_to(durable);
}

void EarlierRows::forget_after(std::uint64_t turn) {
  while (!later_.empty() && later_.back().turn > turn)
    later_.pop_back();
}

const store::local::Rows& EarlierRows::go_to(std::uint64_t turn) {
  while (!later_.empty() && later_.front().turn <= turn) {
    rows_.apply(later_.front().changes);
    later_.pop_front();
  }
  return rows_;
}

}  // namespace baton::sim
