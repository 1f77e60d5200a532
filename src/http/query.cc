#include "http/query.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/hex.h"
#include "base/utf8.h"

namespace baton::http {
namespace {

Error bad_request(std::string message) { return {Code::kBadRequest, std::move(message), {}, {}}; }

// Whether it is UTF-8 without control characters.
bool is_text(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = base::character_size(text);
    const bool control = size == 1 && (text[0] < 0x20 || text[0] == 0x7F);
    if (size == 0 || control) return false;
    text.remove_prefix(size);
  }
  return true;
}

enum class Plus : std::uint8_t { kPlus, kSpace };

// nullopt when a percent sign is not followed by two digits.
std::optional<std::string> decode(std::string_view text, Plus plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = base::hex_value(text[i + 1]);
      const int low = base::hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += text[i] == '+' && plus == Plus::kSpace ? ' ' : text[i];
    }
  }
  return out;
}

Result<std::string> decode_text(std::string_view text, Plus plus, std::string_view what) {
  std::optional<std::string> out = decode(text, plus);
  if (!out)
    return bad_request(std::string(what) + ": '%' must be followed by two hexadecimal digits");
  if (!is_text(*out))
    return bad_request(std::string(what) + ": not UTF-8, or with a control character");
  return std::move(*out);
}

Result<Parameter> parse_parameter(std::string_view piece) {
  const std::size_t equals = piece.find('=');
  Result<std::string> name =
      decode_text(piece.substr(0, equals), Plus::kSpace, "the name of a query parameter");
  if (!name) return name.error();
  if (name->empty()) return bad_request("a query parameter has no name");
  if (equals == std::string_view::npos) return Parameter{std::move(*name), ""};
  Result<std::string> value =
      decode_text(piece.substr(equals + 1), Plus::kSpace, "query parameter '" + *name + "'");
  if (!value) {
    Error error = value.error();
    error.field = *name;
    return error;
  }
  return Parameter{std::move(*name), std::move(*value)};
}

}  // namespace

Result<std::vector<std::string>> split_path(std::string_view path) {
  if (path.empty() || path.front() != '/') return bad_request("a path begins with a slash");
  std::vector<std::string> parts;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    Result<std::string> part = decode_text(path.substr(0, end), Plus::kPlus, "path");
    if (!part) return part.error();
    parts.push_back(std::move(*part));
    path.remove_prefix(end);
  }
  return parts;
}

Result<std::vector<Parameter>> parse_query(std::string_view query) {
  std::vector<Parameter> parameters;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    if (end != 0) {
      Result<Parameter> parameter = parse_parameter(query.substr(0, end));
      if (!parameter) return parameter.error();
      parameters.push_back(std::move(*parameter));
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return parameters;
}

}  // namespace baton::http
