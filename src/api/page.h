// Lists in pages, where the store gives all of it: the client's cursor is the key of the last
// element that it saw, and so holds no state of the server. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/filter.h"
#include "base/json_writer.h"
#include "baton/result.h"

namespace baton::api {

// `cursor` and `limit`. A page holds 1,000 elements unless the client wants fewer.
template <class Key>
struct PageRange {
  std::optional<Key> after;
  std::size_t limit = 1000;
};

// Elements with rising numbers. bad_request, naming the parameter.
Result<PageRange<std::int64_t>> decode_page(std::string_view query);
// Elements that are sorted by name.
Result<PageRange<std::string>> decode_page_by_name(std::string_view query);

// The last member of a page; null when the text is empty, because nothing follows.
inline void write_next_cursor(base::JsonWriter& json, std::string_view cursor) {
  json.key("next_cursor");
  cursor.empty() ? json.null() : json.string(cursor);
}
// Cursors are numbers from 1; 0 is the end.
inline void write_next_cursor(base::JsonWriter& json, std::int64_t number) {
  write_next_cursor(json, number == 0 ? std::string() : format_cursor(number));
}

// Goes through all elements in their order and says which of them are on the page.
template <class Key>
class Pager {
 public:
  explicit Pager(PageRange<Key> page) : page_(std::move(page)) {}

  bool shows(const Key& key) {
    if (page_.after && key <= *page_.after) return false;
    more_ = shown_ == page_.limit;
    if (more_) return false;
    ++shown_;
    last_ = key;
    return true;
  }

  // After the last element.
  void write_next_cursor(base::JsonWriter& json) const {
    api::write_next_cursor(json, more_ ? last_ : Key());
  }

 private:
  PageRange<Key> page_;
  Key last_{};
  std::size_t shown_ = 0;
  bool more_ = false;
};

}  // namespace baton::api
