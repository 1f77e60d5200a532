// Settings that submissions, jobs and queues share, unique keys, and failures.
#include "wire/shapes.h"

namespace baton::wire {
namespace {

void read_strategy(RowInput& in, Retry& out) {
  read_value(in, out.strategy);
  if (in.is_request() && out.strategy == Strategy::kFunction) {
    in.json.refuse("may be a function only in a program that embeds the engine");
  }
}

void read_table(RowInput& in, Retry& out) {
  read_value(in, out.table);
  if (in.is_request() && in.json.ok() && out.table.empty()) {
    in.json.refuse("must have at least one entry");
  }
}

// Null when there is none.
void write_table(RowOutput& out, std::string_view name, const Retry& retry) {
  if (retry.table.empty() && out.is_request()) return;
  out.key(name);
  retry.table.empty() ? out.json.null() : write_value(out, retry.table);
}

constexpr Row<Retry> kRetry[] = {
    field<&Retry::max_attempts>("max_attempts"),
    {"strategy", read_strategy, write_member<&Retry::strategy>},
    field<&Retry::initial>("initial_ms"),
    field<&Retry::multiplier>("multiplier"),
    field<&Retry::max>("max_ms"),
    field<&Retry::jitter>("jitter"),
    {"table_ms", read_table, write_table, kFreeText},
};

constexpr Row<Timeouts> kTimeouts[] = {
    field<&Timeouts::execution>("execution_ms"),
    field<&Timeouts::lease>("lease_ms"),
    field<&Timeouts::lifetime>("lifetime_ms"),
};

constexpr Row<Dependency> kDependency[] = {
    always<&Dependency::type>("type"),
    always<&Dependency::jobs>("jobs"),
    field<&Dependency::allow_failures>("allow_failures"),
};

constexpr Row<Unique> kUnique[] = {
    always<&Unique::key>("key", kRequired),
    always<&Unique::held_while>("while"),
    always<&Unique::on_conflict>("on_conflict"),
};

constexpr Row<Failure> kFailure[] = {
    always<&Failure::category>("category"),
    field<&Failure::code>("code"),
    field<&Failure::message>("message"),
    field<&Failure::cause>("cause"),
};

}  // namespace

// clang-format off
template <> Table<Retry> table_of<Retry>() { return {kRetry}; }
template <> Table<Timeouts> table_of<Timeouts>() { return {kTimeouts}; }
template <> Table<Dependency> table_of<Dependency>() { return {kDependency}; }
template <> Table<Unique> table_of<Unique>() { return {kUnique}; }
template <> Table<Failure> table_of<Failure>() { return {kFailure}; }
// clang-format on

}  // namespace baton::wire
