#include "base/aligned_buffer.h"

#include <algorithm>
#include <new>

namespace baton::base {

AlignedBuffer::~AlignedBuffer() { ::operator delete (data_, std::align_val_t{kDiskBlock}); }

void AlignedBuffer::grow(std::size_t at_least) {
  const std::size_t capacity = round_up_to_block(std::max(at_least, capacity_ * 2));
  auto* data = static_cast<std::byte*>(::operator new (capacity, std::align_val_t{kDiskBlock}));
  if (size_ != 0) std::memcpy(data, data_, size_);
  ::operator delete (data_, std::align_val_t{kDiskBlock});
  data_ = data;
  capacity_ = capacity;
}

}  // namespace baton::base
