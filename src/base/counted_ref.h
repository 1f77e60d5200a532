// A counted reference to a value that never changes, in the eight bytes of a pointer: the count
// stands in the value, as a member `owners`. Whoever makes a value is its first owner. A reference
// is one more, and keeps the value when the first owner lets go of it. Values may be used from any
// thread, one reference from one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace baton::base {

// How many owners a value has. It belongs to one place in memory: a copy of the value begins anew,
// with whoever made the copy as its only owner, and equal values may be used unequally often.
class OwnerCount {
 public:
  OwnerCount() = default;
  OwnerCount(const OwnerCount&) noexcept {}
  OwnerCount& operator=(const OwnerCount&) noexcept { return *this; }
  friend bool operator==(const OwnerCount&, const OwnerCount&) { return true; }

  void add() const { count_.fetch_add(1, std::memory_order_relaxed); }
  // Whether it was the last one.
  bool drop() const { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool is_one() const { return count_.load(std::memory_order_acquire) == 1; }

 private:
  mutable std::atomic<std::uint64_t> count_{1};
};

template <class Value>
class CountedRef {
 public:
  CountedRef() = default;
  // One owner more of a value that somebody else owns now.
  CountedRef(const Value* value) : value_(value) {  // NOLINT(google-explicit-constructor)
    if (value_ != nullptr) value_->owners.add();
  }
  // A new value of which the reference is the only owner.
  static CountedRef make(Value value) {
    CountedRef made;
    made.value_ = new Value(std::move(value));
    return made;
  }
  CountedRef(const CountedRef& other) : CountedRef(other.value_) {}
  CountedRef(CountedRef&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  CountedRef& operator=(const CountedRef& other) {
    if (this != &other && value_ != other.value_) *this = CountedRef(other);
    return *this;
  }
  CountedRef& operator=(CountedRef&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~CountedRef() {
    if (value_ != nullptr && value_->owners.drop()) delete value_;
  }

  const Value* get() const { return value_; }
  const Value& operator*() const { return *value_; }
  const Value* operator->() const { return value_; }
  // Whether nobody else owns the value.
  bool is_only() const { return value_->owners.is_one(); }

  // Whether they are of one value, in one place.
  friend bool operator==(const CountedRef& a, const CountedRef& b) { return a.value_ == b.value_; }

 private:
  const Value* value_ = nullptr;
};

}  // namespace baton::base
