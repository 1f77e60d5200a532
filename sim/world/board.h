// What the actors of a run know in common: the queues, the ids of jobs that were answered with,
// the time. Only what an answer told somebody gets here. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/world/dice.h"
#include "sim/world/mix.h"
#include "sim/world/node.h"

namespace baton::sim {

// What an actor wants to do, and how it hears of the answer.
struct Action {
  Command command;
  std::function<void(const Answer&)> learn = [](const Answer&) {};
};

struct QueueInfo {
  std::string name;
  const lifecycle::Profile* profile = nullptr;
};

class Board {
 public:
  explicit Board(const Mix& mix);

  const Mix& mix() const { return mix_; }
  const std::vector<QueueInfo>& queues() const { return queues_; }
  const std::vector<std::string>& types() const { return types_; }
  const std::vector<std::string>& accounts() const { return accounts_; }

  Time now;
  std::int64_t live = 0;  // jobs that have not ended

  void know(const JobId& id) { jobs_.push_back(id); }
  void know_draft(const JobId& id) { drafts_.push_back(id); }

  // A job, rather a recent one; sometimes an id that nobody has.
  JobId some_job(Dice& dice) const;
  JobId some_draft(Dice& dice) const;
  // Names for things that must differ.
  std::int64_t serial() { return ++serial_; }

 private:
  const Mix& mix_;
  std::vector<QueueInfo> queues_;
  std::vector<std::string> types_;
  std::vector<std::string> accounts_;
  std::vector<JobId> jobs_;
  std::vector<JobId> drafts_;
  std::int64_t serial_ = 0;
};

}  // namespace baton::sim
