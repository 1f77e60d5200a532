#include "store/local/command_verbs.h"

#include "lifecycle/limits.h"

namespace baton::store::local {
namespace {

using base::Code;
using base::Error;

constexpr std::size_t kMaxList = 1000;

// Collects the answers of several commands, which complete one after the other on one thread.
struct WorkCollector {
  std::vector<base::Result<WorkAnswer>> results;
  std::size_t expected = 0;
  Done<std::vector<base::Result<WorkAnswer>>> done;

  void add(Answer answer) {
    if (auto* error = std::get_if<Error>(&answer)) {
      results.emplace_back(std::move(*error));
    } else {
      results.emplace_back(std::get<WorkAnswer>(std::move(answer)));
    }
    if (results.size() == expected) done(std::move(results));
  }
};

}  // namespace

base::Status check_limit(std::size_t limit) {
  if (limit >= 1 && limit <= kMaxList) return base::Ok{};
  return Error{
      Code::kBadRequest, "limit must be from 1 to " + std::to_string(kMaxList), "limit", {}};
}

Error no_such_record() { return {Code::kNotFound, "there is no such job", {}, {}}; }

void CommandVerbs::work(std::vector<WorkCall> calls,
                        Done<std::vector<base::Result<WorkAnswer>>> done) {
  if (calls.empty()) return done(std::vector<base::Result<WorkAnswer>>{});
  auto collector = std::make_shared<WorkCollector>();
  collector->expected = calls.size();
  collector->done = std::move(done);
  for (WorkCall& call : calls) {
    thread().post(std::move(call),
                  [collector](Answer answer) { collector->add(std::move(answer)); });
  }
}

}  // namespace baton::store::local
