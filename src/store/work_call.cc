#include "store/work_call.h"

#include <array>
#include <cstddef>
#include <utility>

namespace baton::store {
namespace {

template <std::size_t... Kinds>
AnyCall blank(std::size_t kind, std::index_sequence<Kinds...>) {
  using Make = AnyCall (*)();
  constexpr std::array<Make, sizeof...(Kinds)> kMakers = {
      [] { return AnyCall(std::in_place_index<Kinds>); }...};
  return kMakers.at(kind)();
}

}  // namespace

const Outcome* result_of(const WorkCall& call) {
  const auto* commit = part<CommitCall>(call);
  const auto* ack = part<AckCall>(call);
  if (commit != nullptr && commit->result) return &*commit->result;
  if (ack != nullptr && ack->result) return &*ack->result;
  return nullptr;
}

const Children& children_of(const WorkCall& call) {
  static const Children kNone;
  if (const auto* commit = part<CommitCall>(call)) return commit->spawn;
  if (const auto* ack = part<AckCall>(call)) return ack->spawn;
  if (const auto* spawn = part<SpawnCall>(call)) return spawn->jobs;
  return kNone;
}

AnyCall blank_call(CallKind kind) {
  return blank(static_cast<std::size_t>(kind),
               std::make_index_sequence<std::variant_size_v<AnyCall>>());
}

}  // namespace baton::store
