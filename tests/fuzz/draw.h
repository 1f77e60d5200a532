// Values drawn from the bytes that a fuzzer hands in. When they are used up, zeros follow, so that
// every input means something. One thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace baton::fuzz {

class Draw {
 public:
  explicit Draw(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t byte() {
    if (bytes_.empty()) return 0;
    const auto first = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return first;
  }
  std::size_t below(std::size_t end) { return byte() % end; }
  // At most 255 bytes.
  std::string text() {
    const std::size_t size = std::min<std::size_t>(byte(), bytes_.size());
    std::string taken(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

// Cuts bytes into pieces whose sizes one small number decides: it is the same cut every time.
class Pieces {
 public:
  Pieces(std::string_view bytes, std::uint8_t seed)
      : left_(bytes), state_(seed * 2654435761U + 1) {}

  bool ended() const { return left_.empty(); }
  // From 1 to `max` bytes; most are short.
  std::string_view next(std::size_t max) {
    state_ = state_ * 1664525U + 1013904223U;
    const std::size_t wanted = 1 + (state_ >> 24U) % ((state_ >> 16U) % 4 == 0 ? 200U : 7U);
    const std::string_view piece = left_.substr(0, std::min(wanted, max));
    left_.remove_prefix(piece.size());
    return piece;
  }

 private:
  std::string_view left_;
  std::uint32_t state_;
};

inline std::string_view view_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace baton::fuzz
