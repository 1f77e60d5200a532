#include "base/uuid.h"

#include <cstring>

#include "base/hex.h"

namespace baton::base {
namespace {

void mark_version_4(Uuid& uuid) {
  uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0F) | 0x40);
  uuid.bytes[8] = static_cast<std::uint8_t>((uuid.bytes[8] & 0x3F) | 0x80);
}

bool dash_before(std::size_t byte) { return byte == 4 || byte == 6 || byte == 8 || byte == 10; }

}  // namespace

Uuid make_uuid(Random& random) {
  Uuid uuid;
  const std::uint64_t halves[2] = {random.next(), random.next()};
  std::memcpy(uuid.bytes.data(), halves, sizeof halves);
  mark_version_4(uuid);
  return uuid;
}

Uuid make_system_uuid() {
  Uuid uuid;
  system_random(uuid.bytes.data(), uuid.bytes.size());
  mark_version_4(uuid);
  return uuid;
}

void append_uuid(std::string& text, const Uuid& uuid) {
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (dash_before(i)) text += '-';
    append_hex(text, uuid.bytes[i]);
  }
}

std::optional<Uuid> parse_uuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  Uuid uuid;
  std::size_t at = 0;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (dash_before(i) && text[at++] != '-') return std::nullopt;
    const int high = hex_value(text[at++]);
    const int low = hex_value(text[at++]);
    if (high < 0 || low < 0) return std::nullopt;
    uuid.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return uuid;
}

std::uint64_t hash_uuid(const Uuid& uuid) {
  std::uint64_t halves[2];
  std::memcpy(halves, uuid.bytes.data(), sizeof halves);
  std::uint64_t z = halves[0] ^ (halves[1] * 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 32)) * 0xD6E8FEB86659FD93ULL;
  return z ^ (z >> 32);
}

}  // namespace baton::base
