// Short cuts through the changes of a step, for checkers.
#pragma once

#include <string>
#include <type_traits>

#include "sim/model/mismatch.h"
#include "sim/world/step_view.h"
#include "store/local/machine/row_change.h"

namespace baton::sim {
using store::JobRecord;
using store::local::JobChange;
using store::local::JobGone;

// Every change of the given kind, in the order in which they happened.
template <class Change, class Visit>
void for_each(const StepView& step, Visit visit) {
  for (const store::local::RowChange& change : step.turn.changes) {
    if (const auto* one = std::get_if<Change>(&change)) visit(*one);
  }
}

// Every command of the given kind with its answer; calls also out of batches.
template <class Kind, class Visit>
void for_each_command(const StepView& step, Visit visit) {
  for (std::size_t i = 0; i < step.commands.size(); ++i) {
    if (const auto* one = std::get_if<Kind>(&step.commands[i])) visit(*one, step.turn.answers[i]);
    if constexpr (std::is_same_v<Kind, WorkCall>) {
      const auto* batch = std::get_if<store::local::WorkBatch>(&step.commands[i]);
      if (batch == nullptr) continue;
      const auto& all = std::get<store::local::WorkBatchAnswer>(step.turn.answers[i]);
      for (std::size_t k = 0; k < batch->calls.size(); ++k) {
        const auto& result = all.results[k];
        visit(batch->calls[k], result.ok() ? Answer(*result) : Answer(result.error()));
      }
    }
  }
}

// The rows, as they are now, of the jobs that the step changed.
template <class Visit>
void for_each_changed_row(const StepView& step, Visit visit) {
  for_each<JobChange>(step, [&](const JobChange& change) {
    if (const auto record = step.node.rows().find(change.id)) visit(*record);
  });
}

template <class Visit>
void for_each_row(const StepView& step, Visit visit) {
  for (const auto& [number, record] : step.node.rows().jobs())
    visit(*record);
}

}  // namespace baton::sim
