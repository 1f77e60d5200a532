#include "store/local/codec/byte_reader.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace baton::store::local {

void ByteReader::fail(std::string why) {
  if (ok()) why_ = std::move(why);
  left_ = {};
}

void ByteReader::fail_unknown(std::string why) {
  if (ok()) code_ = Code::kStoreUnavailable;
  fail(std::move(why));
}

std::uint8_t ByteReader::cut_short() {
  fail("it is cut short");
  return 0;
}

std::uint64_t ByteReader::long_varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
    if (next < 0x80) return ok() ? value : 0;
  }
  fail("a number is too long");
  return 0;
}

int ByteReader::small_number() {
  const std::int64_t value = signed_number();
  if (value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max()) {
    return static_cast<int>(value);
  }
  fail("a number is out of range");
  return 0;
}

std::uint32_t ByteReader::index() {
  const std::uint64_t value = varint();
  if (value <= std::numeric_limits<std::uint32_t>::max()) return static_cast<std::uint32_t>(value);
  fail("an index is out of range");
  return 0;
}

double ByteReader::real() {
  std::uint8_t bytes[8] = {};
  raw(bytes);
  std::uint64_t bits = 0;
  for (int i = 7; i >= 0; --i)
    bits = bits << 8 | bytes[i];
  const auto value = std::bit_cast<double>(bits);
  if (!std::isnan(value)) return value;
  fail("a number is not one");
  return 0;
}

std::string_view ByteReader::text() {
  const std::uint64_t size = varint();
  if (size > left_.size()) {
    cut_short();
    return {};
  }
  const std::string_view value(reinterpret_cast<const char*>(left_.data()), size);
  left_ = left_.subspan(size);
  return value;
}

void ByteReader::raw(std::span<std::uint8_t> into) {
  if (into.size() > left_.size()) {
    cut_short();
    return;
  }
  if (into.empty()) return;
  std::memcpy(into.data(), left_.data(), into.size());
  left_ = left_.subspan(into.size());
}

std::size_t ByteReader::count(std::size_t bytes_each) {
  const std::uint64_t value = varint();
  if (value <= left_.size() / bytes_each) return value;
  return cut_short();
}

std::uint8_t ByteReader::byte_below(std::size_t bound) {
  const std::uint8_t value = byte();
  if (value < bound) return value;
  fail("a value has no meaning");
  return 0;
}

std::uint64_t ByteReader::mask(std::uint64_t known) {
  const std::uint64_t bits = varint();
  if ((bits & ~known) == 0) return bits;
  fail("a mark has no meaning");
  return 0;
}

void ByteReader::expect_end() {
  if (!left_.empty()) fail("something follows its end");
}

Error ByteReader::error(std::string_view what) const {
  return {code_, std::string(what) + " does not decode: " + why_, {}, {}};
}

}  // namespace baton::store::local
