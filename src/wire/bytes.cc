#include "wire/bytes.h"

#include <algorithm>

#include "base/base64.h"
#include "json/flaw.h"

namespace baton::wire {
namespace {

constexpr std::string_view kPacked = "{\"base64\":\"";
constexpr std::string_view kPackedEnd = "\"}";

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length of the character that begins here, 0 when there is none: the table of RFC 3629.
std::size_t character_at(std::string_view text, std::size_t at) {
  struct Utf8Row {
    unsigned char first_min, first_max, second_min, second_max;
    std::size_t length;
  };
  static constexpr Utf8Row kRows[] = {
      {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
      {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
      {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
  };
  const unsigned char first = byte_at(text, at);
  if (first < 0x80) return 1;
  for (const Utf8Row& row : kRows) {
    if (first < row.first_min || first > row.first_max) continue;
    const unsigned char second = byte_at(text, at + 1);
    if (second < row.second_min || second > row.second_max) return 0;
    for (std::size_t i = 2; i < row.length; ++i) {
      if ((byte_at(text, at + i) & 0xC0U) != 0x80U) return 0;
    }
    return row.length;
  }
  return 0;
}

}  // namespace

void write_bytes(RowOutput& out, const BytesNames& names, std::string_view bytes,
                 std::string_view content_type) {
  base::JsonWriter& json = out.json;
  const bool plain = content_type == kJson && !json::find_flaw(bytes);
  if (plain || !out.is_request()) {
    out.key(names.json);
    plain ? json.raw(bytes) : json.null();
  }
  if (plain && out.is_request()) return;
  out.key(names.base64);
  const bool none = plain || (bytes.empty() && !out.is_request());
  none ? json.null() : json.string(base::encode_base64(bytes));
  if (!out.is_request()) return;
  out.key(names.type);
  json.string(content_type);
}

void write_result(base::JsonWriter& json, const Outcome* result) {
  RowOutput out{json, Message::kAnswer};
  // Nothing of a type other than JSON is null under both names.
  write_bytes(out, kResultNames, result ? result->bytes : std::string_view(),
              result ? result->content_type : std::string_view());
  json.key(kResultNames.type);
  result && !result->content_type.empty() ? json.string(result->content_type) : json.null();
}

void settle_null(std::string& bytes, std::string_view content_type) {
  if (bytes.empty() && content_type == kJson) bytes = "null";
}

std::string checkpoint_from_json(std::string json) {
  if (!json.starts_with(kPacked) || !json.ends_with(kPackedEnd)) return json;
  const auto bytes = base::decode_base64(std::string_view(json).substr(
      kPacked.size(), json.size() - kPacked.size() - kPackedEnd.size()));
  return bytes ? *bytes : json;
}

std::string checkpoint_to_json(const std::string& bytes) {
  if (!json::find_flaw(bytes)) return bytes;
  return std::string(kPacked) + base::encode_base64(bytes) + std::string(kPackedEnd);
}

std::string as_utf8(std::string_view text) {
  std::string mended;
  mended.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_at(text, at);
    if (length == 0) {
      mended += "\xEF\xBF\xBD";
    } else {
      mended.append(text, at, length);
    }
    at += std::max<std::size_t>(length, 1);
  }
  return mended;
}

}  // namespace baton::wire
