// Runs handlers for jobs, on any WorkSource. It claims as many jobs as it has free hands, of the
// types it has handlers for (or of all); keeps their leases while handlers run; reports how they
// ended, and asks for more in the same call. When the store is away it waits longer and longer and
// goes on.
//
// A handler may run more than once for one job: when a lease is lost, another worker gets the job.
// At most one of these runs commits. Effects outside of Baton must tolerate repetition.
//
//   baton::Worker worker(*engine, {.concurrency = 4});
//   worker.on("mail", [](baton::Context& job) { send(job.payload()); });
//   worker.start().value();
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "baton/context.h"
#include "baton/options.h"
#include "baton/result.h"
#include "baton/work_source.h"

namespace baton {

// Gives the result of the job, or none; see context.h for what it may throw.
using Handler = std::function<std::optional<Outcome>(Context&)>;

struct WorkerStats {
  std::int64_t claimed = 0;
  std::int64_t completed = 0;  // results that the store took
  std::int64_t failed = 0;     // failures and rejections that it took
  std::int64_t cancelled = 0;  // confirmed cancellations
  std::int64_t released = 0;   // jobs that were given back
  std::int64_t dropped = 0;    // reports that came to nothing: the lease was lost, the store away
  int running = 0;             // handlers that run now
};

class Worker {
 public:
  // The source must outlive the worker. Nothing happens before start().
  explicit Worker(WorkSource& source, WorkerOptions options = {});
  // As stop() without grace: returns when the last handler has.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs `handler` for jobs of this type. It may return nothing, a string (JSON text) or an
  // Outcome, and is called on several threads at once. Before start() only; a second handler for
  // one type replaces the first.
  template <class F>
  Worker& on(const std::string& type, F handler) {
    return add(type, wrap(std::move(handler)));
  }

  // Runs `handler` for jobs of every type that has no handler of its own; such a worker claims all
  // jobs of its queues.
  template <class F>
  Worker& on_any(F handler) {
    return add_any(wrap(std::move(handler)));
  }

  // Begins to work and returns. Refused: bad_request (no handler, no queue, a setting out of
  // range), conflict (it was started before). A worker does not start twice.
  Status start();

  // Claims nothing more, finishes and reports what runs, and returns when that is done.
  void drain();
  // The same, but when `grace` is over it cancels the contexts of the handlers that still run,
  // gives their jobs back, and no longer waits for a store that is away. Returns when the last
  // handler has; true if none had to be cancelled and every report was delivered.
  bool stop(Duration grace = {});

  WorkerStats stats() const;

 private:
  template <class F>
  static Handler wrap(F handler) {
    using Given = std::invoke_result_t<F&, Context&>;
    return [handler = std::move(handler)](Context& context) mutable -> std::optional<Outcome> {
      if constexpr (std::is_void_v<Given>) {
        handler(context);
        return std::nullopt;
      } else if constexpr (std::convertible_to<Given, std::string>) {
        return Outcome{.bytes = handler(context)};
      } else {
        return handler(context);
      }
    };
  }
  Worker& add(const std::string& type, Handler handler);
  Worker& add_any(Handler handler);

  std::shared_ptr<worker::Runtime> runtime_;
};

}  // namespace baton
