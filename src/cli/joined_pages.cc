#include "cli/joined_pages.h"

#include "base/json_writer.h"
#include "wire/shapes.h"

namespace baton::cli {

Status JoinedPages::add(const std::string& text) {
  others.clear();
  json::Reader reader(text);
  reader.members([&](std::string_view name) {
    if (name == list) {
      reader.elements([&] { elements.push_back(reader.raw()); });
    } else if (name != "next_cursor") {
      others.emplace_back(name, reader.raw());
    }
  });
  return wire::finish_answer(reader, Ok{});
}

std::string JoinedPages::text() const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.key(list);
  json.begin_array();
  for (const std::string& element : elements)
    json.raw(element);
  json.end_array();
  for (const auto& [name, value] : others) {
    json.key(name);
    json.raw(value);
  }
  json.key("next_cursor");
  json.null();
  json.end_object();
  return text + "\n";
}

}  // namespace baton::cli
