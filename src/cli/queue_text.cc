#include "cli/queue_text.h"

#include <array>
#include <cstdio>

#include "cli/table.h"
#include "cli/times.h"

namespace baton::cli {
namespace {

struct Column {
  const char* head;
  JobState state;
};

// What waits, what runs, what ended.
constexpr std::array<Column, 11> kColumns = {{
    {"CREATED", JobState::kCreated},
    {"PENDING", JobState::kPending},
    {"DELAYED", JobState::kDelayed},
    {"SCHEDULED", JobState::kScheduled},
    {"RUNNING", JobState::kRunning},
    {"RETRYING", JobState::kRetrying},
    {"COMPLETED", JobState::kCompleted},
    {"FAILED", JobState::kFailed},
    {"DEAD_LETTER", JobState::kDeadLetter},
    {"CANCELLED", JobState::kCancelled},
    {"REJECTED", JobState::kRejected},
}};

Cell status_of(const Queue& queue) {
  if (queue.draining) return {"draining", Tone::kBusy};
  if (queue.paused) return {"paused", Tone::kBad};
  return {"open"};
}

// The columns that have something to say; what is ready and what runs is always asked for.
std::vector<Column> columns_of(const Queue& sums) {
  std::vector<Column> columns;
  for (const Column& column : kColumns) {
    const bool always = column.state == JobState::kScheduled || column.state == JobState::kRunning;
    if (always || sums.count(column.state) != 0) columns.push_back(column);
  }
  return columns;
}

Queue sums_of(const std::vector<Queue>& queues) {
  Queue all;
  all.counts.assign(kNames<JobState>.size(), 0);
  for (const Queue& queue : queues) {
    for (std::size_t i = 0; i < all.counts.size() && i < queue.counts.size(); ++i)
      all.counts[i] += queue.counts[i];
  }
  return all;
}

void add_counts(std::vector<Cell>& row, const Queue& queue, const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    Cell cell = number_cell(queue.count(column.state));
    if (cell.text != "0") cell.tone = tone_of(column.state);
    row.push_back(std::move(cell));
  }
}

std::string limit_text(const std::optional<std::int64_t>& limit) {
  return limit ? std::to_string(*limit) : "";
}

std::string rate_text(const std::optional<RateLimit>& rate) {
  if (!rate) return {};
  char text[64];
  std::snprintf(text, sizeof text, "%g a second, bursts of %d", rate->per_second, rate->burst);
  return text;
}

std::string optional_text(const std::optional<Duration>& duration) {
  return duration ? duration_text(*duration) : "";
}

void add_retry(Sheet& sheet, const Retry& retry) {
  if (retry.max_attempts) sheet.add("max attempts", std::to_string(*retry.max_attempts));
  if (retry.strategy) sheet.add("backoff", std::string(name(*retry.strategy)));
  sheet.add("first backoff", optional_text(retry.initial));
  sheet.add("longest backoff", optional_text(retry.max));
}

}  // namespace

std::string queue_table(const std::vector<Queue>& queues, bool sums) {
  if (queues.empty()) return "no queues\n";
  const Queue all = sums_of(queues);
  const std::vector<Column> columns = columns_of(all);
  std::vector<std::string> heads = {"QUEUE", "PROFILE", "STATUS"};
  for (const Column& column : columns)
    heads.emplace_back(column.head);
  Table table(std::move(heads));
  for (const Queue& queue : queues) {
    std::vector<Cell> row = {{printable(queue.name, 40)}, {queue.profile}, status_of(queue)};
    add_counts(row, queue, columns);
    table.add(std::move(row));
  }
  if (sums && queues.size() > 1) {
    std::vector<Cell> row = {{"all"}, {""}, {""}};
    add_counts(row, all, columns);
    table.add(std::move(row));
  }
  return table.text();
}

std::string queue_sheet(const Queue& queue) {
  Sheet sheet;
  const Cell status = status_of(queue);
  sheet.add("queue", printable(queue.name));
  sheet.add("profile", queue.profile);
  sheet.add("status", status.text, status.tone);
  for (std::size_t i = 1; i < queue.counts.size(); ++i) {
    const auto state = static_cast<JobState>(i);
    if (queue.counts[i] != 0) {
      sheet.add(std::string(name(state)), std::to_string(queue.counts[i]), tone_of(state));
    }
  }
  sheet.add("max pending", limit_text(queue.max_pending));
  sheet.add("max running", limit_text(queue.max_running));
  sheet.add("rate", rate_text(queue.rate));
  add_retry(sheet, queue.retry);
  sheet.add("execution timeout", optional_text(queue.timeouts.execution));
  sheet.add("lease", optional_text(queue.timeouts.lease));
  sheet.add("lifetime", optional_text(queue.timeouts.lifetime));
  sheet.add("keeps completed", duration_text(queue.keep_completed));
  sheet.add("keeps failed", duration_text(queue.keep_failed));
  sheet.add("keys last", duration_text(queue.idempotency_window));
  return sheet.text();
}

}  // namespace baton::cli
