#include <algorithm>
#include <array>
#include <utility>

#include "sim/checkers/changes.h"
#include "sim/checkers/list.h"

namespace baton::sim {
namespace {

using enum JobState;

// Every step that a job can make.
constexpr std::array<std::pair<JobState, JobState>, 32> kSteps = {{
    {kNone, kCreated},        {kNone, kPending},         {kCreated, kPending},
    {kPending, kScheduled},   {kPending, kDelayed},      {kDelayed, kScheduled},
    {kScheduled, kRunning},   {kRunning, kCompleted},    {kRunning, kRetrying},
    {kRunning, kFailed},      {kRunning, kDeadLetter},   {kRetrying, kScheduled},
    {kRetrying, kDeadLetter}, {kRunning, kRejected},     {kPending, kRejected},
    {kDelayed, kRejected},    {kScheduled, kRejected},   {kCreated, kCancelled},
    {kPending, kCancelled},   {kDelayed, kCancelled},    {kScheduled, kCancelled},
    {kRunning, kCancelled},   {kRetrying, kCancelled},   {kCreated, kFailed},
    {kPending, kFailed},      {kDelayed, kFailed},       {kScheduled, kFailed},
    {kRetrying, kFailed},     {kCreated, kDeadLetter},   {kPending, kDeadLetter},
    {kDelayed, kDeadLetter},  {kScheduled, kDeadLetter},
}};

// A job's history is one unbroken walk along the transitions that exist, and ends where it is.
class HistoryIsWhole final : public Checker {
 public:
  std::string_view name() const override { return "the history is whole"; }

  void each_step(const StepView& step, Findings& findings) override {
    for_each_changed_row(step, [&](const JobRecord& record) { check(record, findings); });
  }

 private:
  void check(const JobRecord& record, Findings& findings) const {
    JobState at = kNone;
    Time last;
    std::int64_t seq = 0;
    for (const HistoryEntry& entry : record.history) {
      const bool exists =
          std::find(kSteps.begin(), kSteps.end(), std::pair(entry.from, entry.to)) != kSteps.end();
      if (!exists || entry.from != at || entry.seq != ++seq || entry.at < last) {
        findings.add(name(), "entry " + std::to_string(entry.seq) + " of " + shown(record.id) +
                                 " goes from " + shown(entry.from) + " to " + shown(entry.to) +
                                 ", the job was " + shown(at));
        return;
      }
      at = entry.to;
      last = entry.at;
    }
    if (at != record.facts.state || seq != record.facts.history_count) {
      findings.add(name(), "the history of " + shown(record.id) + " ends with " + shown(at) +
                               ", the job is " + shown(record.facts.state));
    }
  }
};

}  // namespace

std::unique_ptr<Checker> make_history_is_whole() { return std::make_unique<HistoryIsWhole>(); }

}  // namespace baton::sim
