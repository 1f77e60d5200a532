#include "http/mailbox.h"

#include <utility>

#include "base/assert.h"
#include "http/exchange.h"

namespace baton::http {

void Mailbox::put(MailboxDelivery delivery) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  waiting_.push_back(std::move(delivery));
  if (waiting_.size() == 1 && !abandoned_) wake_();
}

void Mailbox::abandon(std::shared_ptr<HttpExchange> exchange) noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  const bool first = waiting_.empty() && !abandoned_;
  exchange->next_abandoned = std::move(abandoned_);
  abandoned_ = std::move(exchange);
  if (first) wake_();
}

void Mailbox::take(std::vector<MailboxDelivery>& into, std::shared_ptr<HttpExchange>& abandoned) {
  BATON_ASSERT(into.empty() && !abandoned);
  const std::lock_guard lock(mutex_);
  into.swap(waiting_);
  abandoned.swap(abandoned_);
}

void Mailbox::close() {
  std::vector<MailboxDelivery> dropped;
  std::shared_ptr<HttpExchange> abandoned;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    dropped.swap(waiting_);
    abandoned.swap(abandoned_);
  }
  // One after the other: a chain that ends as a whole would end by recursion.
  while (abandoned)
    abandoned = std::move(abandoned->next_abandoned);
}

}  // namespace baton::http
