#include "store/local/catalog/number_merge.h"

#include <algorithm>

namespace baton::store::local {
namespace {

constexpr std::size_t kAskAtLeast = 8;
constexpr std::size_t kAskAtMost = 4096;

}  // namespace

NumberMerge::NumberMerge(std::vector<Source> sources, std::int64_t below, std::size_t wanted) {
  if (sources.empty()) return;
  // Each source has its share of what is wanted, and some more.
  const std::size_t share = 2 * wanted / sources.size() + kAskAtLeast;
  const std::size_t ask = std::min(sources.size() == 1 ? wanted : share, kAskAtMost);
  runs_.reserve(sources.size());
  for (Source& source : sources) {
    runs_.push_back({std::move(source), {}, 0, std::max<std::size_t>(ask, 1), false});
    refill(runs_.size() - 1, below);
  }
}

void NumberMerge::refill(std::size_t index, std::int64_t below) {
  Run& run = runs_[index];
  if (run.ended) return;
  run.numbers.clear();
  run.place = 0;
  run.source(below, run.ask, run.numbers);
  run.ended = run.numbers.size() < run.ask;
  run.ask = std::min(2 * run.ask, kAskAtMost);
  if (!run.numbers.empty()) heads_.emplace(run.numbers.front(), index);
}

std::optional<std::int64_t> NumberMerge::next() {
  if (heads_.empty()) return std::nullopt;
  const auto [number, index] = heads_.top();
  heads_.pop();
  Run& run = runs_[index];
  if (++run.place < run.numbers.size()) {
    heads_.emplace(run.numbers[run.place], index);
  } else {
    refill(index, number);
  }
  return number;
}

}  // namespace baton::store::local
