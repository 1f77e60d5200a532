#include <algorithm>
#include <charconv>

#include "lifecycle/calls.h"
#include "lifecycle/describe.h"

namespace baton::lifecycle {
namespace {

const std::size_t kGap = 2;
const std::string_view kNothing = "-";

using Row = std::vector<std::string>;

// Columns as wide as their widest cell; no spaces at the ends of lines.
void append_table(std::string& out, const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    std::transform(
        row.begin(), row.end(), widths.begin(), widths.begin(),
        [](const std::string& cell, std::size_t width) { return std::max(cell.size(), width); });
  }
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      out += row[i];
      if (i + 1 < row.size()) out.append(widths[i] - row[i].size() + kGap, ' ');
    }
    out.push_back('\n');
  }
}

void append_title(std::string& out, std::string_view title) {
  if (!out.empty()) out.push_back('\n');
  out += title;
  out += "\n\n";
}

struct Unit {
  std::int64_t ms;
  std::string_view name;
};

// A duration in the largest unit that measures it without a rest.
std::string in_words(Duration duration) {
  static constexpr Unit kUnits[] = {{base::days(1).ms, " d"},
                                    {base::hours(1).ms, " h"},
                                    {base::minutes(1).ms, " min"},
                                    {base::seconds(1).ms, " s"}};
  if (duration.ms == 0) return "0";
  for (const Unit& unit : kUnits) {
    if (duration.ms % unit.ms != 0) continue;
    return std::to_string(duration.ms / unit.ms) += unit.name;
  }
  return std::to_string(duration.ms) + " ms";
}

std::string multiplier_of(const RetryPolicy& retry) {
  if (retry.strategy != Strategy::kExponential) return std::string(kNothing);
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, retry.multiplier).ptr;
  return "x" + std::string(digits, end);
}

std::string yes_or_no(bool value) { return value ? "yes" : "no"; }

struct PolicyLine {
  std::string_view title;
  std::string (*value)(const Profile& profile);
};

const PolicyLine kPolicyLines[] = {
    {"runs at most", [](const Profile& p) { return std::to_string(p.policy.retry.max_attempts); }},
    {"retries shown at most",
     [](const Profile& p) { return std::to_string(p.max_retries(p.policy.retry.max_attempts)); }},
    {"exhausted leads to", [](const Profile& p) { return std::string(name(p.policy.exhausted)); }},
    {"permanent leads to", [](const Profile& p) { return std::string(name(p.policy.permanent)); }},
    {"backoff", [](const Profile& p) { return std::string(name(p.policy.retry.strategy)); }},
    {"first delay", [](const Profile& p) { return in_words(p.policy.retry.initial); }},
    {"multiplier", [](const Profile& p) { return multiplier_of(p.policy.retry); }},
    {"longest delay", [](const Profile& p) { return in_words(p.policy.retry.max); }},
    {"jitter", [](const Profile& p) { return std::string(name(p.policy.retry.jitter)); }},
    {"lost lease waits", [](const Profile& p) { return in_words(p.policy.lost_lease_wait); }},
    {"free releases", [](const Profile& p) { return std::to_string(p.policy.free_releases); }},
    {"lease", [](const Profile& p) { return in_words(p.policy.lease); }},
    {"execution timeout", [](const Profile& p) { return in_words(p.policy.execution); }},
    {"total lifetime", [](const Profile& p) { return in_words(p.policy.lifetime); }},
    {"retry settings pinned", [](const Profile& p) { return yes_or_no(p.policy.retry_pinned); }},
    {"last failure retries",
     [](const Profile& p) { return yes_or_no(p.policy.last_failure_retries); }},
    {"no idempotency key",
     [](const Profile& p) { return std::string(name(p.policy.key_default)); }},
    {"bad ending frees key", [](const Profile& p) { return yes_or_no(p.policy.failed_frees_key); }},
    {"quota of accounts", [](const Profile& p) { return yes_or_no(p.policy.quota); }},
};

Row heading(std::string_view first) {
  Row row = {std::string(first)};
  for (const Profile* profile : all_profiles())
    row.emplace_back(profile->name);
  return row;
}

void append_profiles(std::string& out) {
  std::vector<Row> rows;
  for (const Profile* profile : all_profiles())
    rows.push_back({std::string(profile->name), std::string(profile->summary)});
  append_title(out, "PROFILES (the first is the default)");
  append_table(out, rows);
}

void append_vocabulary(std::string& out) {
  std::vector<Row> rows = {heading("canonical")};
  for (std::size_t i = 1; i < kJobStateCount; ++i) {
    const auto state = static_cast<JobState>(i);
    Row row = {std::string(name(state))};
    for (const Profile* profile : all_profiles())
      row.emplace_back(profile->has(state) ? profile->word(state) : kNothing);
    rows.push_back(row);
  }
  append_title(out, "VOCABULARY: the profiles' words for the canonical states (-: never reached)");
  append_table(out, rows);
}

void append_policies(std::string& out) {
  std::vector<Row> rows = {heading("")};
  for (const PolicyLine& line : kPolicyLines) {
    Row row = {std::string(line.title)};
    for (const Profile* profile : all_profiles())
      row.push_back(line.value(*profile));
    rows.push_back(row);
  }
  append_title(out, "POLICIES: defaults, and where failures lead");
  append_table(out, rows);
}

void append_transitions(std::string& out) {
  std::vector<Row> rows = {{"from", "to", "trigger", "what happens"}};
  for (const Transition& row : transitions()) {
    const std::string_view from = row.from == JobState::kNone ? kNothing : name(row.from);
    rows.push_back({std::string(from), std::string(name(row.to)), std::string(name(row.trigger)),
                    std::string(row.label)});
  }
  append_title(out, "TRANSITIONS: every step that a job can take");
  append_table(out, rows);
}

// In the order of CallOutcome.
const std::string_view kOutcomes[] = {
    "-> IN_PROGRESS",      // kStart
    "lease extended",      // kExtend
    "-> COMMITTED",        // kCommit
    "-> DONE",             // kFinish
    "-> ABORTED",          // kAbort
    "staged",              // kStage
    "same answer",         // kRepeat
    "already_committed",   // kAlreadyCommitted
    "stale_lease",         // kStaleLease
    "stale_lease",         // kStaleOrCommitted, with a note
    "invalid_transition",  // kInvalidTransition
};

void append_calls(std::string& out) {
  Row head = {"call"};
  for (const std::string_view status : kNames<ExecutionStatus>)
    head.emplace_back(status);
  std::vector<Row> rows = {head};
  for (std::size_t call = 0; call < kCallKindCount; ++call) {
    const auto kind = static_cast<CallKind>(call);
    Row row = {std::string(name(kind))};
    for (std::size_t status = 0; status < kExecutionStatusCount; ++status) {
      const CallOutcome outcome = outcome_of(kind, static_cast<ExecutionStatus>(status));
      row.emplace_back(kOutcomes[static_cast<std::size_t>(outcome)]);
      if (outcome == CallOutcome::kStaleOrCommitted) row.front() += '*';
    }
    rows.push_back(row);
  }
  append_title(out, "CALLS: what a worker's call does in each status of its execution");
  append_table(out, rows);
  out +=
      "\n*  in ABORTED: already_committed when another execution of the job committed.\n"
      "An execution that is not its job's latest counts as ABORTED. A wrong token: stale_lease.\n";
}

}  // namespace

void describe_text(std::string& out) {
  std::string text;
  append_profiles(text);
  append_vocabulary(text);
  append_policies(text);
  append_transitions(text);
  append_calls(text);
  out += text;
}

}  // namespace baton::lifecycle
