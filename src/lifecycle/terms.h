// What a job was promised when it was submitted, and a counted reference to it. Many jobs share one
// value, which never changes under them. Whoever keeps values (a table, a test) makes them and is
// their first owner; a reference keeps its value alive when the first owner lets go of it. Values
// and references may be used from any thread, one reference from one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "lifecycle/profile.h"
#include "lifecycle/retry.h"
#include "lifecycle/states.h"

namespace baton::lifecycle {

// How many owners a value has. It belongs to one place in memory: a copy of the value begins anew,
// with whoever made the copy as its only owner, and equal values may be used unequally often.
class OwnerCount {
 public:
  OwnerCount() = default;
  OwnerCount(const OwnerCount&) noexcept {}
  OwnerCount& operator=(const OwnerCount&) noexcept { return *this; }
  friend bool operator==(const OwnerCount&, const OwnerCount&) { return true; }

 private:
  friend class TermsRef;
  mutable std::atomic<std::uint64_t> count_{1};
};

// The profile of a job, and the settings of claim, job, queue and profile resolved once.
struct Terms {
  const Profile* profile = nullptr;
  RetryPolicy retry;
  Duration lease{};
  Duration execution{};
  Duration lifetime{};
  FailureIs timeout_is = FailureIs::kTemporary;
  FailureIs system_is = FailureIs::kTemporary;
  OwnerCount owners = {};

  friend bool operator==(const Terms&, const Terms&) = default;
};

class TermsRef {
 public:
  TermsRef() = default;
  // One owner more of a value that somebody else owns now.
  TermsRef(const Terms* terms) : terms_(terms) {  // NOLINT(google-explicit-constructor)
    if (terms_ != nullptr) terms_->owners.count_.fetch_add(1, std::memory_order_relaxed);
  }
  // A new value of which the reference is the only owner.
  static TermsRef make(Terms terms) {
    TermsRef made;
    made.terms_ = new Terms(std::move(terms));
    return made;
  }
  TermsRef(const TermsRef& other) : TermsRef(other.terms_) {}
  TermsRef(TermsRef&& other) noexcept : terms_(std::exchange(other.terms_, nullptr)) {}
  TermsRef& operator=(const TermsRef& other) {
    if (terms_ != other.terms_) *this = TermsRef(other);
    return *this;
  }
  TermsRef& operator=(TermsRef&& other) noexcept {
    std::swap(terms_, other.terms_);
    return *this;
  }
  ~TermsRef() {
    if (terms_ == nullptr) return;
    if (terms_->owners.count_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete terms_;
  }

  const Terms* get() const { return terms_; }
  const Terms& operator*() const { return *terms_; }
  const Terms* operator->() const { return terms_; }
  // Whether nobody else owns the value.
  bool is_only() const { return terms_->owners.count_.load(std::memory_order_acquire) == 1; }

  // Whether they are of one value, in one place.
  friend bool operator==(const TermsRef& a, const TermsRef& b) { return a.terms_ == b.terms_; }

 private:
  const Terms* terms_ = nullptr;
};

}  // namespace baton::lifecycle
