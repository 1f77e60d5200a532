// Texts that are numbered while somebody uses them, so that a slot holds four bytes instead of a
// text. A number that nobody uses any more is given to another text, though not before
// `free_unused` is called: until then the text can be read. One thread.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace baton::store::local {

class CountedNames {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // The number of the text, which is used once more from now on.
  std::uint32_t use(std::string_view text);
  // It is used once less.
  void drop(std::uint32_t number);
  // Frees the numbers of texts that are not used.
  void free_unused();

  std::uint32_t find(std::string_view text) const;  // kNone when it is not there
  const std::string& text(std::uint32_t number) const { return names_[number].text; }
  std::size_t size() const { return numbers_.size(); }

 private:
  struct Name {
    std::string text;
    std::uint32_t uses = 0;
    bool is_listed = false;  // among the unused ones, of which some may be used again
  };

  std::deque<Name> names_;
  boost::unordered_flat_map<std::string_view, std::uint32_t, std::hash<std::string_view>> numbers_;
  std::vector<std::uint32_t> unused_;
  std::vector<std::uint32_t> free_;
};

}  // namespace baton::store::local
