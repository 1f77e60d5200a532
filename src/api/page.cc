#include "api/page.h"

#include <charconv>

#include "api/answer.h"
#include "http/query.h"

namespace baton::api {
namespace {

constexpr int kMaxLimit = 1000;

Error wrong_cursor() {
  return bad_request("cursor must be a next_cursor of an earlier answer", "cursor");
}

Status take_limit(std::string_view text, std::size_t& limit) {
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
  if (!whole || value < 1 || value > kMaxLimit) {
    return bad_request("limit must be a whole number from 1 to " + std::to_string(kMaxLimit),
                       "limit");
  }
  limit = static_cast<std::size_t>(value);
  return Ok{};
}

}  // namespace

Result<PageRange<std::string>> decode_page_by_name(std::string_view query) {
  const auto parameters = http::parse_query(query);
  if (!parameters) return parameters.error();
  PageRange<std::string> page;
  if (const auto checked = check_parameters(*parameters, {"cursor", "limit"}); !checked) {
    return checked.error();
  }
  for (const http::Parameter& parameter : *parameters) {
    if (parameter.name == "cursor") {
      if (!parameter.value.empty()) page.after = parameter.value;
    } else if (const auto taken = take_limit(parameter.value, page.limit); !taken) {
      return taken.error();
    }
  }
  return page;
}

Result<PageRange<std::int64_t>> decode_page(std::string_view query) {
  const auto named = decode_page_by_name(query);
  if (!named) return named.error();
  PageRange<std::int64_t> page;
  page.limit = named->limit;
  if (!named->after) return page;
  page.after = parse_cursor(*named->after);
  if (!page.after) return wrong_cursor();
  return page;
}

}  // namespace baton::api
