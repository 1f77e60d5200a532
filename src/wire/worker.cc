// Workers, as the server has seen them.
#include "wire/shapes.h"

namespace baton::wire {
namespace {

constexpr Row<HeldExecution> kHeld[] = {
    field<&HeldExecution::id>("execution_id", kRequired),
    {"job_id", nullptr,
     [](RowOutput& out, std::string_view name, const HeldExecution& held) {
       out.key(name);
       write_value(out, held.id.job());
     }},
    field<&HeldExecution::lease_expires_at>("lease_expires_at"),
};

void write_types(RowOutput& out, std::string_view name, const SeenWorker& worker) {
  out.key(name);
  worker.types.empty() ? out.json.null() : write_value(out, worker.types);
}

constexpr Row<SeenWorker> kWorker[] = {
    always<&SeenWorker::name>("worker", kRequired),
    field<&SeenWorker::queues>("queues"),
    {"types", read_member<&SeenWorker::types>, write_types},
    field<&SeenWorker::first_seen>("first_seen"),
    field<&SeenWorker::last_seen>("last_seen"),
    field<&SeenWorker::execution_count>("execution_count"),
    field<&SeenWorker::executions>("executions"),
};

}  // namespace

// clang-format off
template <> Table<HeldExecution> table_of<HeldExecution>() { return {kHeld}; }
template <> Table<SeenWorker> table_of<SeenWorker>() { return {kWorker}; }
// clang-format on

}  // namespace baton::wire
