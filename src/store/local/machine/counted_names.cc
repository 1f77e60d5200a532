#include "store/local/machine/counted_names.h"

#include "base/assert.h"

namespace baton::store::local {

std::uint32_t CountedNames::use(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) {
    ++names_[found->second].uses;
    return found->second;
  }
  if (free_.empty()) {
    free_.push_back(static_cast<std::uint32_t>(names_.size()));
    names_.emplace_back();
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  Name& name = names_[number];
  name.text = text;
  name.uses = 1;
  numbers_.emplace(name.text, number);
  return number;
}

void CountedNames::drop(std::uint32_t number) {
  Name& name = names_[number];
  BATON_ASSERT(name.uses > 0);
  if (--name.uses > 0 || name.is_listed) return;
  name.is_listed = true;
  unused_.push_back(number);
}

void CountedNames::free_unused() {
  for (const std::uint32_t number : unused_) {
    Name& name = names_[number];
    name.is_listed = false;
    if (name.uses > 0) continue;
    numbers_.erase(name.text);
    name.text = {};
    free_.push_back(number);
  }
  unused_.clear();
}

std::uint32_t CountedNames::find(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? kNone : found->second;
}

}  // namespace baton::store::local
