// Exchanges that do not block their caller: each runs on a thread of its own crew until the server
// has answered. Any thread.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "baton/work_source.h"
#include "client/caller.h"
#include "client/crew.h"
#include "client/interrupt.h"

namespace baton::client {

class Exchanger {
 public:
  // The caller must outlive it.
  explicit Exchanger(Caller& caller) : caller_(caller) {}
  // Interrupts what waits, and returns when every exchange was answered.
  ~Exchanger();
  Exchanger(const Exchanger&) = delete;
  Exchanger& operator=(const Exchanger&) = delete;

  void exchange(Exchange exchange, Completion<ExchangeAnswer> done);

 private:
  Result<ExchangeAnswer> run(const Exchange& exchange);
  // False when nothing may begin any more.
  bool enter(Interrupt& interrupt);
  bool leave(Interrupt& interrupt);

  Caller& caller_;
  std::mutex mutex_;
  std::set<Interrupt*> under_way_;
  bool closing_ = false;
  Crew crew_;  // last: its threads use the rest
};

}  // namespace baton::client
