// What stores and those who watch them ask about a worker's call, whichever it is. Pure; any
// thread.
#pragma once

#include "baton/work_source.h"

namespace baton::store {

// The part of the call that is of this type; null when it is another call.
template <class One>
const One* part(const WorkCall& call) {
  return std::get_if<One>(&call.call);
}

// What a commit or an ack brings; null when there is none.
const Outcome* result_of(const WorkCall& call);
// The jobs that a commit, an ack or a spawn brings.
const Children& children_of(const WorkCall& call);

// A call of this kind that brings nothing yet.
AnyCall blank_call(CallKind kind);

}  // namespace baton::store
