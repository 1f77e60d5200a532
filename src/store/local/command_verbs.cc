#include "store/local/command_verbs.h"

#include "store/id_prefix.h"

#include "lifecycle/limits.h"

namespace baton::store::local {
namespace {

constexpr std::size_t kMaxList = 1000;

}  // namespace

Status check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= kMaxList) return Ok{};
  return Error{
      Code::kBadRequest, "limit must be from 1 to " + std::to_string(kMaxList), "limit", {}};
}

Status check_list(const ListJobs& filter) {
  if (filter.id_prefix) {
    if (const auto prefix = IdPrefix::parse(*filter.id_prefix); !prefix) return prefix.error();
  }
  return check_limit(filter.limit);
}

Error no_such_record() { return {Code::kNotFound, "there is no such job", {}, {}}; }

void CommandVerbs::work(std::vector<WorkCall> calls, Done<std::vector<Result<CallAnswer>>> done) {
  if (calls.empty()) return done(std::vector<Result<CallAnswer>>{});
  post<WorkBatchAnswer>(WorkBatch{std::move(calls)},
                        [done = std::move(done)](Result<WorkBatchAnswer> answer) {
                          if (!answer) return done(answer.error());
                          done(std::move(answer->results));
                        });
}

}  // namespace baton::store::local
