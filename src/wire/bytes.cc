#include "wire/bytes.h"

#include <algorithm>

#include "base/base64.h"
#include "base/utf8.h"
#include "json/flaw.h"

namespace baton::wire {
namespace {

constexpr std::string_view kPacked = "{\"base64\":\"";
constexpr std::string_view kPackedEnd = "\"}";

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
  while (!text.empty()) {
    const std::size_t size = base::character_size(text);
    mended += size == 0 ? "\xEF\xBF\xBD" : text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return mended;
}

}  // namespace baton::wire
