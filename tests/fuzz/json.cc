// Three readers of JSON look at the same bytes: find_flaw, which only says yes or no; Reader, which
// strangers' documents go through; and simdjson's own parser. What they must agree on:
//
//   - Reader takes a document as a whole (raw) exactly when it has no flaw and is an object or an
//     array, and then gives its very text.
//   - What simdjson's parser accepts has no flaw, unless it is nested deeper than find_flaw allows.
//   - What has no flaw, simdjson's parser accepts, unless it has a number beyond its range or half
//     of a surrogate pair, which RFC 8259 allows and which cannot be a value of ours.
//   - A walk through every value, as a decoder makes it, accepts what simdjson's parser accepts,
//     and nothing that is flawed. Written down again it is the same document. Only a zero whose
//     exponent has twenty digits is a number for that parser and none for Reader.
//   - No verdict depends on what the thread read before.
#include <optional>
#include <string>

#include <simdjson.h>
#include "base/assert.h"
#include "base/json_writer.h"
#include "draw.h"
#include "json/flaw.h"
#include "json/reader.h"

namespace baton::json {
namespace {

constexpr std::string_view kTooDeep = "it is nested too deeply";

enum class Numbers : std::uint8_t { kAsText, kWhole, kReal };

// Reads the value at hand to its last leaf and writes it to `out` again.
void walk(Reader& reader, Numbers numbers, std::string& out) {
  bool first = true;
  const auto comma = [&] {
    if (!first) out += ',';
    first = false;
  };
  switch (reader.kind()) {
    case Kind::kObject:
      out += '{';
      reader.members([&](std::string_view name) {
        comma();
        base::JsonWriter(out).string(name);
        out += ':';
        walk(reader, numbers, out);
      });
      out += '}';
      return;
    case Kind::kArray:
      out += '[';
      reader.elements([&] {
        comma();
        walk(reader, numbers, out);
      });
      out += ']';
      return;
    case Kind::kString:
      return base::JsonWriter(out).string(reader.string());
    case Kind::kBoolean:
      return base::JsonWriter(out).boolean(reader.boolean());
    case Kind::kNumber:
      if (numbers == Numbers::kAsText) {
        out += reader.raw();
      } else if (numbers == Numbers::kWhole) {
        base::JsonWriter(out).number(reader.integer());
      } else {
        base::JsonWriter(out).real(reader.real());
      }
      return;
    case Kind::kNull:
      out += "null";
      return;
  }
}

void check_refusal(const Error& error) {
  BATON_ASSERT(error.code == Code::kBadRequest);
  BATON_ASSERT(!error.message.empty());
}

// The document as it was read, or nothing when it was refused.
std::optional<std::string> walked(std::string_view text, Numbers numbers) {
  std::string out;
  Reader reader(text);
  walk(reader, numbers, out);
  const Status status = reader.finish();
  if (status) return out;
  check_refusal(status.error());
  return std::nullopt;
}

std::optional<std::string> taken_whole(std::string_view text) {
  Reader reader(text);
  std::string raw = reader.raw();
  const Status status = reader.finish();
  if (status) return raw;
  check_refusal(status.error());
  return std::nullopt;
}

// Leaves other bytes where the next document's padding will be.
void read_something_else(std::size_t size) {
  const std::string filler = "[" + std::string(size + 16, '7') + "\"}]]";
  static_cast<void>(taken_whole(filler));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = std::min(text.find_first_not_of(kSpace), text.size());
  const std::size_t end = text.find_last_not_of(kSpace);
  return end == std::string_view::npos ? "" : text.substr(begin, end + 1 - begin);
}

bool beyond_us(simdjson::error_code verdict, std::string_view text) {
  switch (verdict) {
    case simdjson::NUMBER_ERROR:
      return true;
    case simdjson::STRING_ERROR:
      return text.find("\\u") != std::string_view::npos;
    default:
      return false;
  }
}

bool has_endless_exponent(std::string_view text) {
  std::size_t digits = 0;
  for (std::size_t at = std::min(text.find_first_of("eE"), text.size()); at < text.size(); ++at) {
    const char c = text[at];
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits > 18) return true;
  }
  return false;
}

void check_walks(std::string_view text, bool clean, simdjson::error_code verdict) {
  const auto as_text = walked(text, Numbers::kAsText);
  const auto as_real = walked(text, Numbers::kReal);
  const auto whole = walked(text, Numbers::kWhole);
  read_something_else(text.size());
  BATON_ASSERT(walked(text, Numbers::kAsText) == as_text);
  BATON_ASSERT(walked(text, Numbers::kReal) == as_real);
  if (as_text) {
    BATON_ASSERT(clean);
    BATON_ASSERT(walked(*as_text, Numbers::kAsText) == as_text);
  }
  BATON_ASSERT(!as_real || as_text);
  BATON_ASSERT(!whole || as_real);
  if (whole && text.find("-0") == std::string_view::npos) BATON_ASSERT(whole == as_text);
  if (verdict != simdjson::SUCCESS) return;
  BATON_ASSERT(as_text);
  if (!as_real) BATON_ASSERT(has_endless_exponent(text));
  static simdjson::dom::parser ours;
  static simdjson::dom::parser theirs;
  BATON_ASSERT(simdjson::to_string(ours.parse(*as_text).value()) ==
               simdjson::to_string(theirs.parse(simdjson::padded_string(text)).value()));
  if (as_real) BATON_ASSERT(find_flaw(*as_real).has_value() == find_flaw(text).has_value());
}

void check(std::string_view text) {
  const auto flaw = find_flaw(text);
  if (flaw) BATON_ASSERT(flaw->at <= text.size() && !flaw->what.empty());
  const bool too_deep = flaw && flaw->what == kTooDeep;
  static simdjson::dom::parser parser;  // making one takes longer than parsing
  const simdjson::error_code verdict = parser.parse(simdjson::padded_string(text)).error();
  if (verdict == simdjson::SUCCESS) BATON_ASSERT(!flaw || too_deep);
  if (!flaw) BATON_ASSERT(verdict == simdjson::SUCCESS || beyond_us(verdict, text));

  const std::string_view inner = trimmed(text);
  const bool container = inner.starts_with('{') || inner.starts_with('[');
  const auto whole = taken_whole(text);
  read_something_else(text.size());
  BATON_ASSERT(taken_whole(text) == whole);
  BATON_ASSERT(whole.has_value() == (!flaw && container));
  if (whole) BATON_ASSERT(*whole == inner);
  if (container) {
    check_walks(text, !flaw || too_deep, verdict);
  } else {
    BATON_ASSERT(!walked(text, Numbers::kAsText));
  }
  // A value that is kept as it came stands inside of an answer as itself.
  if (!flaw) {
    const auto answer = taken_whole("{\"kept\":" + std::string(text) + "}");
    BATON_ASSERT(answer || find_flaw("[" + std::string(text) + "]")->what == kTooDeep);
  }
}

}  // namespace
}  // namespace baton::json

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  baton::json::check(baton::fuzz::view_of(data, size));
  return 0;
}
