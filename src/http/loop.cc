#include "http/loop.h"

#include <utility>

#include "http/connection.h"
#include "http/exchange.h"

namespace baton::http {
namespace {

// Bytes of answers that are made in a row.
constexpr std::size_t kMostMadeAtOnce = std::size_t{1} << 20;

}  // namespace

Loop::Loop(const ServerOptions& options, RequestHandler& handler, Budgets budgets, Hooks hooks)
    : options_(options),
      handler_(handler),
      budgets_(std::move(budgets)),
      hooks_(std::move(hooks)),
      mailbox_(std::make_shared<Mailbox>(hooks_.wake, budgets_.answers)) {}

Loop::~Loop() = default;

void Loop::read_clock() {
  now_ = clock_.monotonic();
  date_.set(clock_.wall());
}

void Loop::adopt(std::unique_ptr<Transport> transport, Welcome welcome) {
  read_clock();
  auto connection = std::make_shared<Connection>(*this, std::move(transport), welcome);
  connections_.insert(connection);
  connection->start();
  if (draining_) connection->drain();
}

void Loop::woken() {
  awake_ = true;
  read_clock();
  made_ = 0;
  const bool all = deliver_all();
  // Handlers that run meanwhile may answer yet other requests.
  for (std::size_t i = 0; i < answering_.size(); ++i)
    std::shared_ptr<Connection>(answering_[i])->pump();
  answering_.clear();
  awake_ = false;
  if (!all) hooks_.wake();
}

// False when there is more, and others shall have their turn first.
bool Loop::deliver_all() {
  for (;;) {
    if (deliveries_.empty()) mailbox_->take(deliveries_, abandoned_);
    if (deliveries_.empty() && !abandoned_) return true;
    for (; delivered_ < deliveries_.size(); ++delivered_) {
      if (made_ > kMostMadeAtOnce) return false;
      MailboxDelivery delivery = std::move(deliveries_[delivered_]);
      if (Connection* connection = delivery.exchange->connection)
        connection->deliver(std::move(delivery));
    }
    deliveries_.clear();
    delivered_ = 0;
    abandon_all();
  }
}

void Loop::abandon_all() {
  while (const std::shared_ptr<HttpExchange> exchange = std::move(abandoned_)) {
    abandoned_ = std::move(exchange->next_abandoned);
    if (Connection* connection = exchange->connection)
      connection->deliver({exchange, MailboxDelivery::Kind::kAbandoned});
  }
}

void Loop::relieve() {
  while (budgets_.answers->is_exceeded()) {
    std::shared_ptr<Connection> slowest;
    for (const std::shared_ptr<Connection>& connection : connections_)
      if (connection->holds_much() && (!slowest || connection->stalls_longer_than(*slowest)))
        slowest = connection;
    if (!slowest) return;
    slowest->close();
  }
}

void Loop::has_answers(std::shared_ptr<Connection> connection) {
  answering_.push_back(std::move(connection));
  if (!awake_ && answering_.size() == 1) hooks_.wake();
}

void Loop::forget(const std::shared_ptr<Connection>& connection) {
  if (connections_.erase(connection) == 1) hooks_.connection_closed();
}

std::vector<std::shared_ptr<Connection>> Loop::all() const {
  return {connections_.begin(), connections_.end()};
}

void Loop::tick() {
  read_clock();
  for (const std::shared_ptr<Connection>& connection : all())
    connection->tick();
}

void Loop::drain() {
  draining_ = true;
  read_clock();
  for (const std::shared_ptr<Connection>& connection : all())
    connection->drain();
}

void Loop::close_all() {
  mailbox_->close();
  for (const std::shared_ptr<Connection>& connection : all())
    connection->close();
}

}  // namespace baton::http
