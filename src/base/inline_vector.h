// A vector with room for N elements inside itself and none beyond: for the few things that one
// step can produce, without touching the heap. Pushing past N is a bug and asserts.
#pragma once

#include <array>
#include <cstddef>

#include "base/assert.h"

namespace baton::base {

template <class T, std::size_t N>
class InlineVector {
 public:
  void push_back(const T& item) {
    BATON_ASSERT(size_ < N);
    items_[size_++] = item;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t index) const {
    BATON_ASSERT(index < size_);
    return items_[index];
  }
  const T& back() const { return (*this)[size_ - 1]; }
  const T* begin() const { return items_.data(); }
  const T* end() const { return items_.data() + size_; }

 private:
  std::array<T, N> items_{};
  std::size_t size_ = 0;
};

}  // namespace baton::base
