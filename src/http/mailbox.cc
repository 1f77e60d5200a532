#include "http/mailbox.h"

#include <utility>

#include "base/assert.h"

namespace baton::http {

void Mailbox::put(Delivery delivery) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  waiting_.push_back(std::move(delivery));
  if (waiting_.size() == 1) wake_();
}

void Mailbox::take(std::vector<Delivery>& into) {
  BATON_ASSERT(into.empty());
  const std::lock_guard lock(mutex_);
  into.swap(waiting_);
}

void Mailbox::close() {
  std::vector<Delivery> dropped;
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(waiting_);
}

}  // namespace baton::http
