#include "store/local/machine/command_size.h"

#include <algorithm>

#include "store/work_call.h"

namespace baton::store::local {
namespace {

std::size_t bytes_of(const std::vector<std::shared_ptr<const Submission>>& jobs) {
  std::size_t bytes = 0;
  for (const auto& job : jobs)
    bytes += job->payload.size();
  return bytes;
}

std::size_t bytes_of(const WorkCall& call) {
  const Outcome* result = result_of(call);
  const auto* beat = part<HeartbeatCall>(call);
  const bool keeps = beat != nullptr && beat->checkpoint;
  return bytes_of(children_of(call)) + (result != nullptr ? result->bytes.size() : 0) +
         (keeps ? beat->checkpoint->size() : 0);
}

struct Sizer {
  CommandSize operator()(const SubmitBatch& batch) const {
    return {std::max<std::size_t>(batch.jobs.size(), 1), bytes_of(batch.jobs)};
  }
  CommandSize operator()(const WorkCall& call) const { return {1, bytes_of(call)}; }
  CommandSize operator()(const WorkBatch& batch) const {
    CommandSize size{std::max<std::size_t>(batch.calls.size(), 1), 0};
    for (const WorkCall& call : batch.calls)
      size.bytes += bytes_of(call);
    return size;
  }
  template <class Other>
  CommandSize operator()(const Other&) const {
    return {};
  }
};

}  // namespace

CommandSize size_of(const Command& command) { return std::visit(Sizer{}, command); }

}  // namespace baton::store::local
