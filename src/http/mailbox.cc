#include "http/mailbox.h"

#include <utility>

#include "base/assert.h"
#include "http/exchange.h"

namespace baton::http {

void Mailbox::put(Delivery delivery) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  waiting_.push_back(std::move(delivery));
  if (waiting_.size() == 1 && !abandoned_) wake_();
}

void Mailbox::abandon(std::shared_ptr<Exchange> exchange) noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  const bool first = waiting_.empty() && !abandoned_;
  exchange->next_abandoned = std::move(abandoned_);
  abandoned_ = std::move(exchange);
  if (first) wake_();
}

std::shared_ptr<Exchange> Mailbox::take_abandoned() {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Exchange> first = std::move(abandoned_);
  if (first) abandoned_ = std::move(first->next_abandoned);
  return first;
}

void Mailbox::take(std::vector<Delivery>& into) {
  BATON_ASSERT(into.empty());
  const std::lock_guard lock(mutex_);
  into.swap(waiting_);
}

void Mailbox::close() {
  std::vector<Delivery> dropped;
  while (take_abandoned()) {
  }
  const std::lock_guard lock(mutex_);
  closed_ = true;
  dropped.swap(waiting_);
}

}  // namespace baton::http
