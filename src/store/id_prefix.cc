#include "store/id_prefix.h"

#include <optional>

namespace baton::store {
namespace {

constexpr std::size_t kLeast = 8;
constexpr std::size_t kMost = 36;

bool is_dash_place(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

std::optional<std::uint8_t> digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint8_t>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<std::uint8_t>(c - 'A' + 10);
  return std::nullopt;
}

Error bad_prefix() {
  return {Code::kBadRequest,
          "id_prefix must be the first 8 to 36 characters of an id, like 0f9c2a41 or 0f9c2a41-7b",
          "id_prefix",
          {}};
}

}  // namespace

Result<IdPrefix> IdPrefix::parse(std::string_view text) {
  if (text.size() < kLeast || text.size() > kMost) return bad_prefix();
  IdPrefix prefix;
  prefix.lowest.uuid.bytes.fill(0x00);
  prefix.highest.uuid.bytes.fill(0xff);
  std::size_t digits = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_dash_place(i)) {
      if (text[i] != '-') return bad_prefix();
      continue;
    }
    const auto digit = digit_of(text[i]);
    if (!digit) return bad_prefix();
    const unsigned shift = digits % 2 == 0 ? 4 : 0;
    const auto bits = static_cast<std::uint8_t>(*digit << shift);
    const auto others = static_cast<std::uint8_t>(~(0x0f << shift));
    auto& low = prefix.lowest.uuid.bytes[digits / 2];
    auto& high = prefix.highest.uuid.bytes[digits / 2];
    low = static_cast<std::uint8_t>((low & others) | bits);
    high = static_cast<std::uint8_t>((high & others) | bits);
    ++digits;
  }
  return prefix;
}

}  // namespace baton::store
