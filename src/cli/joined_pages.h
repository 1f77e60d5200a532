// All pages of a list as one document, for programs. One thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/server_call.h"

namespace baton::cli {

// The elements of a list and the other members of its answers, as they came.
struct JoinedPages {
  std::string list;  // the name of the member that has the elements
  std::vector<std::string> elements = {};
  // Those of the last page, but for its cursor.
  std::vector<std::pair<std::string, std::string>> others = {};

  // Adds the next page. Refused as wire::finish_answer refuses.
  Status add(const std::string& text);
  // One document like a page that is the last one.
  std::string text() const;
};

// Asks for one page after the other, and prints them as one.
template <class Page>
int print_joined(Client& client, std::string_view list,
                 RawRequest (*page_request)(const std::string&),
                 Result<Page> (*read)(std::string_view)) {
  JoinedPages all{std::string(list)};
  std::string cursor;
  do {
    const auto answer = call(client, page_request(cursor), read);
    if (!answer) return fail(answer.error());
    if (const Status added = all.add(answer->body); !added) return fail(added.error());
    cursor = answer->value.next_cursor;
  } while (!cursor.empty());
  return print(all.text());
}

}  // namespace baton::cli
