// Settings of an Engine and of a Worker. The defaults suit a program that has both.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "baton/result.h"

namespace baton {

// How long retry number `retry`, which is 1 for the first, waits. `initial` and `max` are those of
// the job's retry settings; more than `max` is cut. It must always give the same answer and not
// throw.
using BackoffFunction = Duration (*)(int retry, Duration initial, Duration max);

// By the names that Retry::function uses.
using BackoffFunctions = std::map<std::string, BackoffFunction, std::less<>>;

struct EngineOptions {
  // What Retry::function may name. A stored job keeps the name, so the next program that opens the
  // store has to know it, too.
  BackoffFunctions backoff_functions = {};
  // A store whose jobs live is not opened by a clock more than 30 days after its last change, which
  // may be wrong and would end them: unless this says that it is right.
  bool accept_clock = false;
};

// How long a worker waits before it asks a store again that is away: `first`, then twice as long
// each time up to `most`, each wait shortened by up to a half at random.
struct Patience {
  Duration first{100};
  Duration most{5'000};
};

struct WorkerOptions {
  std::string name = {};  // shown with each execution; empty: made of host, process and chance
  std::vector<std::string> queues = {"default"};  // tried in this order
  int concurrency = 1;                            // handlers at once, 1 to 1,000
  // How long a claim lasts without a heartbeat; else each job's own, at most 30 s. Heartbeats come
  // every 5 s, and at a third of the shortest lease if that is earlier: so soon does a handler hear
  // of a cancel.
  std::optional<Duration> lease = {};
  Duration wait{20'000};  // one request for work, at most a minute
  Patience patience = {};
  // How long the report of a handler that has returned is kept for a store that is away. After
  // that it is dropped, and the job runs again when its lease is over.
  Duration keep_reports{300'000};
  // Told of refusals that nobody else hears of: a store that is away, a report that was refused.
  // Called on a thread of the worker; must be quick and not throw.
  std::function<void(const Error&)> on_error = {};
};

}  // namespace baton
