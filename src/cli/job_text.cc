#include "cli/job_text.h"

#include "cli/terminal.h"
#include "cli/times.h"

namespace baton::cli {
namespace {

std::string times_text(int count) { return count == 1 ? "once" : std::to_string(count) + " times"; }

std::string attempts(const Job& job) {
  return std::to_string(job.attempt) + "/" + std::to_string(job.max_attempts);
}

std::string id_text(const JobId& id) { return id.is_nil() ? "" : to_string(id); }

std::string bytes_text(const Outcome& content) {
  if (content.content_type == "application/json") return printable(content.bytes);
  return content.content_type + ", " + std::to_string(content.bytes.size()) + " bytes";
}

std::string unique_text(const std::optional<Unique>& unique) {
  if (!unique) return "";
  return printable(unique->key) + ", while " + std::string(name(unique->held_while)) + ", " +
         std::string(name(unique->on_conflict));
}

std::string tags_text(const Tags& tags) {
  std::string text;
  for (const auto& [key, value] : tags)
    text += (text.empty() ? "" : " ") + printable(key) + "=" + printable(value);
  return text;
}

std::string progress_text(const Job& job) {
  if (!job.progress) return {};
  const std::string percent = std::to_string(*job.progress) + " %";
  return job.progress_message.empty() ? percent : percent + ", " + printable(job.progress_message);
}

std::string state_text(const Job& job) {
  std::string text = job.state;
  const std::string canonical(name(job.canonical_state));
  if (text != canonical) text += " (" + canonical + ")";
  if (job.cancel_requested && !job.ended()) text += ", to be cancelled";
  return text;
}

std::string dependencies_text(const Submission& spec) {
  std::string text;
  for (const Dependency& each : spec.depends_on) {
    text += (text.empty() ? "" : "; ") + std::string(name(each.type));
    for (const std::string& job : each.jobs)
      text += " " + job;
  }
  return text;
}

}  // namespace

std::string failure_text(const std::optional<Failure>& failure, std::size_t most) {
  if (!failure) return {};
  std::string text(name(failure->category));
  if (!failure->code.empty()) text += " " + failure->code;
  if (!failure->message.empty()) text += ": " + failure->message;
  return printable(text, most);
}

std::string job_sheet(const Job& job) {
  TextTable sheet;
  sheet.add("id", to_string(job.id));
  sheet.add("state", state_text(job), tone_of(job.canonical_state));
  sheet.add("type", printable(job.spec->type));
  sheet.add("queue", printable(job.spec->queue) + ", " + job.profile);
  sheet.add("priority", std::string(name(job.priority)));
  sheet.add("attempts", std::to_string(job.attempt) + " of " + std::to_string(job.max_attempts));
  sheet.add("given back", job.release_count == 0 ? "" : times_text(job.release_count));
  sheet.add("created", moment_text(job.created_at) + " (" + age(job.created_at) + " ago)");
  sheet.add("runs at", job.ended() ? "" : moment_text(job.run_at));
  sheet.add("started", moment_text(job.started_at));
  sheet.add("ended", moment_text(job.completed_at));
  sheet.add("progress", progress_text(job));
  sheet.add("error", failure_text(job.last_error), Tone::kBad);
  sheet.add("depends on", dependencies_text(*job.spec));
  sheet.add("key", printable(job.spec->idempotency_key.value_or("")));
  sheet.add("unique", unique_text(job.spec->unique));
  sheet.add("tags", tags_text(job.tags));
  sheet.add("correlation", printable(job.correlation_id));
  sheet.add("account", printable(job.spec->account));
  sheet.add("parent", id_text(job.parent));
  sheet.add("redriven from", id_text(job.redriven_from));
  sheet.add("redriven to", id_text(job.redriven_to));
  sheet.add("payload", job.spec->payload.empty()
                           ? ""
                           : bytes_text({job.spec->payload, job.spec->content_type}));
  sheet.add("checkpoint", printable(job.checkpoint));
  if (job.result) sheet.add("result", bytes_text(*job.result));
  return sheet.text();
}

std::string job_table(const std::vector<Job>& jobs) {
  TextTable table({"ID", "STATE", "TYPE", "QUEUE", "ATTEMPT", "AGE", "ERROR"});
  for (const Job& job : jobs) {
    table.add({{to_string(job.id)},
               {job.state, tone_of(job.canonical_state)},
               {printable(job.spec->type, 30)},
               {printable(job.spec->queue, 20)},
               {attempts(job), Tone::kPlain, true},
               {age(job.created_at), Tone::kPlain, true},
               {failure_text(job.last_error, 50)}});
  }
  return table.empty() ? "no jobs\n" : table.text();
}

std::string history_table(const std::vector<HistoryEntry>& history) {
  TextTable table({"#", "AT", "FROM", "TO", "WHY", "BY"});
  for (const HistoryEntry& entry : history) {
    table.add({number_cell(entry.seq),
               {moment_text(entry.at)},
               {std::string(name(entry.from))},
               {std::string(name(entry.to)), tone_of(entry.to)},
               {std::string(name(entry.trigger))},
               {std::string(name(entry.actor))}});
  }
  return table.text();
}

std::string explanation_sheet(const Explanation& explanation) {
  TextTable sheet;
  sheet.add("state", explanation.state, tone_of(explanation.canonical_state));
  sheet.add("why", printable(explanation.sentence));
  sheet.add("code", explanation.code);
  sheet.add("until", moment_text(explanation.until));
  sheet.add("worker", printable(explanation.worker));
  if (explanation.worker_last_seen.is_set()) {
    sheet.add("last seen", age(explanation.worker_last_seen) + " ago");
  }
  for (const JobId& id : explanation.waits_for)
    sheet.add("waits for", to_string(id));
  return sheet.text();
}

std::string execution_table(const std::vector<Execution>& executions) {
  TextTable table({"ATTEMPT", "STATUS", "WORKER", "CLAIMED", "FINISHED", "ERROR"});
  for (const Execution& execution : executions) {
    table.add({number_cell(execution.attempt),
               {std::string(name(execution.status))},
               {printable(execution.worker, 40)},
               {moment_text(execution.claimed_at)},
               {moment_text(execution.finished_at)},
               {failure_text(execution.failure, 60)}});
  }
  return table.empty() ? "never claimed\n" : table.text();
}

}  // namespace baton::cli
