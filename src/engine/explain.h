// Why a job is where it is: what its store says, and what only the registry knows, whether any
// worker asks for it and when its worker was last heard. Any thread.
#pragma once

#include "engine/worker_registry.h"
#include "store/store.h"

namespace baton::engine {

// As Store::explain, with the code no_worker for a job that is ready and that no worker has asked
// for, and with the worker of a job that runs. Store and registry must outlive the answer.
void explain(store::Store& store, const WorkerRegistry& workers, const JobId& id,
             store::Done<Explanation> done);

}  // namespace baton::engine
