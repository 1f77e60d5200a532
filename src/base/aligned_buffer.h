// A growing array of bytes that starts at a multiple of the disk's block, so that it can be handed
// to a file opened with Access::kDurableWrite as it is. Like std::string in use: append to it,
// clear it, and it keeps its memory for the next round. What is not written to is not initialised.
// One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/assert.h"
#include "base/disk.h"

namespace baton::base {

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size) { resize(size); }
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~AlignedBuffer();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::span<std::byte> bytes() { return {data_, size_}; }

  // Adds room for `count` bytes at the end and says where it is. Valid until the next growth.
  std::byte* extend(std::size_t count) {
    const std::size_t at = size_;
    resize(size_ + count);
    return data_ + at;
  }
  void append(std::span<const std::byte> from) {
    if (!from.empty()) std::memcpy(extend(from.size()), from.data(), from.size());
  }
  void append_zeros(std::size_t count) {
    if (count != 0) std::memset(extend(count), 0, count);
  }
  void resize(std::size_t size) {
    if (size > capacity_) grow(size);
    size_ = size;
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }

 private:
  void grow(std::size_t at_least);

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace baton::base
