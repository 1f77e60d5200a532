#include "cli/submit.h"

#include <algorithm>
#include <charconv>

#include "cli/input.h"
#include "cli/times.h"
#include "cli/wait.h"
#include "client/answers.h"
#include "client/requests.h"
#include "json/flaw.h"

namespace baton::cli {
namespace {

// Complains about what stands on the command line.
bool wrong(const std::string& message) {
  complain(message);
  return false;
}

bool take_payload(const SubmitRequest& request, Submission& job) {
  job.content_type = request.content_type;
  if (!request.payload && request.payload_file.empty()) return true;
  const bool standard = request.payload == "-";
  if (request.payload && !standard) {
    job.payload = *request.payload;
  } else {
    auto bytes = read_all(standard ? "-" : request.payload_file);
    if (!bytes) return false;
    job.payload = std::move(*bytes);
  }
  if (job.content_type != "application/json") return true;
  const auto flaw = json::find_flaw(job.payload);
  if (!flaw) return true;
  return wrong("the payload is not JSON: " + std::string(flaw->what) + " at byte " +
               std::to_string(flaw->at) + " (--content-type says what it is instead)");
}

bool take_priority(const std::string& text, Submission& job) {
  if (text.empty()) return true;
  std::string upper = text;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::optional<Priority> priority = parse<Priority>(upper);
  if (!priority && text.size() == 1 && text[0] >= '0' && text[0] <= '4') {
    priority = static_cast<Priority>(text[0] - '0');
  }
  if (!priority) return wrong("--priority must be critical, high, normal, low, bulk or 0 to 4");
  job.priority = *priority;
  return true;
}

bool take_times(const SubmitRequest& request, Submission& job) {
  if (!request.delay.empty()) {
    job.delay = parse_duration(request.delay);
    if (!job.delay) return wrong("--delay must be a duration like 90s, 5m or 1h30m");
  }
  if (!request.run_at.empty()) {
    job.run_at = parse_moment(request.run_at);
    if (!job.run_at) return wrong("--run-at must be a time like 2030-01-02T03:04:05Z");
  }
  return true;
}

bool take_tags(const SubmitRequest& request, Submission& job) {
  for (const std::string& tag : request.tags) {
    const std::size_t equals = tag.find('=');
    if (equals == std::string::npos || equals == 0) return wrong("--tag must be KEY=VALUE");
    job.tags[tag.substr(0, equals)] = tag.substr(equals + 1);
  }
  return true;
}

// What the command line asks for; nullopt after a complaint.
std::optional<Submission> submission_of(const SubmitRequest& request) {
  Submission job{.type = request.type, .queue = request.queue};
  if (!take_payload(request, job) || !take_priority(request.priority, job) ||
      !take_times(request, job) || !take_tags(request, job)) {
    return std::nullopt;
  }
  if (!request.key.empty()) job.idempotency_key = request.key;
  if (!request.after.empty()) job.depends_on.push_back({.jobs = request.after});
  job.retry.max_attempts = request.max_attempts;
  job.account = request.account;
  job.correlation_id = request.correlation_id;
  job.draft = request.draft;
  return job;
}

}  // namespace

int run_submit(const SubmitRequest& request) {
  if (!request.batch.empty()) return run_submit_batch(request);
  if (request.type.empty()) {
    complain("the type of the job is needed, or --batch FILE");
    return kWrongUsage;
  }
  const std::optional<Submission> job = submission_of(request);
  if (!job) return kWrongUsage;
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  const Result<RawAnswer> answer = client->raw(client::submit_request(*job));
  if (!answer) return fail(answer.error());
  const Result<Submitted> submitted = client::read_submitted(answer->body);
  if (!submitted) return fail(submitted.error());
  if (request.wait) return wait_for(*client, request.server.json, submitted->id, std::nullopt);
  if (request.server.json) return print(answer->body + "\n");
  if (submitted->duplicate) complain("a submission with this key was there before: the same job");
  return print(submitted->id + "\n");
}

}  // namespace baton::cli
