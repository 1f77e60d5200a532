// Lets a Worker, which claims only types that it has handlers for, work on jobs of every type: to
// the worker all jobs are of one type, and the real one stands in the `ref` of the job, which a job
// that was made has no use for. Any thread.
#pragma once

#include <utility>

#include "baton/work_source.h"

namespace baton::cli {

class AnyTypeSource final : public WorkSource {
 public:
  // What the worker's one handler is for.
  static constexpr char kType[] = "any";

  // The source must outlive it.
  explicit AnyTypeSource(WorkSource& source) : source_(source) {}

  void exchange(Exchange exchange, Completion<ExchangeAnswer> done) override {
    if (exchange.claim) exchange.claim->types.clear();
    source_.exchange(std::move(exchange), [done = std::move(done)](auto answer) {
      if (answer) {
        for (Claimed& claimed : answer->executions) {
          Submission& spec = claimed.job.spec;
          spec.ref = std::exchange(spec.type, kType);
        }
      }
      done(std::move(answer));
    });
  }

 private:
  WorkSource& source_;
};

}  // namespace baton::cli
