#include <algorithm>

#include "lifecycle/calls.h"
#include "lifecycle/describe.h"

namespace baton::lifecycle {
namespace {

const std::string_view kOutside = "[*]";

struct Edge {
  std::string_view from;
  std::string_view to;
  std::vector<std::string_view> causes;
};

void add_once(std::vector<std::string_view>& words, std::string_view word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// Edges between two states become one, each cause named once, all in the order of their arrival.
void add_edge(std::vector<Edge>& edges, std::string_view from, std::string_view to,
              std::string_view cause) {
  auto edge = std::find_if(edges.begin(), edges.end(),
                           [&](const Edge& e) { return e.from == from && e.to == to; });
  if (edge == edges.end()) edge = edges.insert(edge, {from, to, {}});
  add_once(edge->causes, cause);
}

void append_diagram(std::string& out, const std::vector<Edge>& edges,
                    const std::vector<std::string_view>& final_states) {
  out += "```mermaid\nstateDiagram-v2\n";
  for (const Edge& edge : edges) {
    out.append("    ").append(edge.from).append(" --> ").append(edge.to).append(" : ");
    for (std::size_t i = 0; i < edge.causes.size(); ++i)
      out.append(i == 0 ? "" : ", ").append(edge.causes[i]);
    out.push_back('\n');
  }
  for (const std::string_view state : final_states)
    out.append("    ").append(state).append(" --> ").append(kOutside).push_back('\n');
  out += "```\n";
}

// `word` gives the name of a state.
template <class Word>
void append_states(std::string& out, std::span<const Transition> rows, Word word) {
  std::vector<Edge> edges;
  std::vector<std::string_view> final_states;
  for (const Transition& row : rows) {
    const std::string_view from = row.from == JobState::kNone ? kOutside : word(row.from);
    const std::string_view to = word(row.to);
    if (from != to) add_edge(edges, from, to, name(row.trigger));
    if (is_terminal(row.to)) add_once(final_states, to);
  }
  append_diagram(out, edges, final_states);
}

// What ends or finishes an execution without a call of its worker. A test walks decide() for it.
struct UncalledStep {
  ExecutionStatus from;
  ExecutionStatus to;
  std::string_view cause;
};

const UncalledStep kUncalledSteps[] = {
    {ExecutionStatus::kLeased, ExecutionStatus::kAborted, "lease end"},
    {ExecutionStatus::kLeased, ExecutionStatus::kAborted, "deadline"},
    {ExecutionStatus::kLeased, ExecutionStatus::kAborted, "lifetime"},
    {ExecutionStatus::kLeased, ExecutionStatus::kAborted, "forced cancel"},
    {ExecutionStatus::kInProgress, ExecutionStatus::kAborted, "lease end"},
    {ExecutionStatus::kInProgress, ExecutionStatus::kAborted, "deadline"},
    {ExecutionStatus::kInProgress, ExecutionStatus::kAborted, "lifetime"},
    {ExecutionStatus::kInProgress, ExecutionStatus::kAborted, "forced cancel"},
    {ExecutionStatus::kCommitted, ExecutionStatus::kDone, "lease end"},
};

ExecutionStatus next_on_the_way_to_done(ExecutionStatus status) {
  return static_cast<ExecutionStatus>(static_cast<int>(status) + 1);
}

// The steps that a call takes; an ack takes all that are left in one.
void add_call(std::vector<Edge>& edges, const CallRow& row) {
  ExecutionStatus from = row.status;
  switch (row.outcome) {
    case CallOutcome::kStart:
    case CallOutcome::kCommit:
      add_edge(edges, name(from), name(next_on_the_way_to_done(from)), name(row.call));
      break;
    case CallOutcome::kFinish:
      for (; from != ExecutionStatus::kDone; from = next_on_the_way_to_done(from))
        add_edge(edges, name(from), name(next_on_the_way_to_done(from)), name(row.call));
      break;
    case CallOutcome::kAbort:
      add_edge(edges, name(from), name(ExecutionStatus::kAborted), name(row.call));
      break;
    default:
      break;
  }
}

}  // namespace

void append_profile_diagram(std::string& out, const Profile& profile) {
  append_states(out, reachable_transitions(profile),
                [&](JobState state) { return profile.word(state); });
}

void append_canonical_diagram(std::string& out) {
  append_states(out, transitions(), [](JobState state) { return name(state); });
}

void append_execution_diagram(std::string& out) {
  std::vector<Edge> edges;
  add_edge(edges, kOutside, name(ExecutionStatus::kLeased), name(Trigger::kClaim));
  for (const CallRow& row : call_table())
    add_call(edges, row);
  for (const UncalledStep& step : kUncalledSteps)
    add_edge(edges, name(step.from), name(step.to), step.cause);
  append_diagram(out, edges, {name(ExecutionStatus::kDone), name(ExecutionStatus::kAborted)});
}

void describe_diagrams(std::string& out) {
  out +=
      "# State diagrams\n\n"
      "`./dev generate` writes this page from the tables in `src/lifecycle`; edit those instead.\n"
      "An arrow names the triggers that take a job along it, as its history records them.\n\n"
      "## Executions\n\n"
      "Each claim of a job is one execution. `ack` takes all the steps that are left at once.\n\n";
  append_execution_diagram(out);
  for (const Profile* profile : all_profiles()) {
    out.append("\n## Jobs in profile `").append(profile->name).append("`\n\n");
    out.append(profile->summary).append("\n\n");
    append_profile_diagram(out, *profile);
  }
  out += "\n## Jobs in canonical states\n\nAll profiles together.\n\n";
  append_canonical_diagram(out);
}

}  // namespace baton::lifecycle
