#include "cli/wait.h"

#include <algorithm>

#include "base/clock.h"
#include "cli/job_text.h"
#include "cli/times.h"
#include "client/answers.h"
#include "client/requests.h"

namespace baton::cli {
namespace {

constexpr Duration kOneRequest{60'000};

// What is wrong with how the job is now; empty when it was completed.
std::string complaint_about(const Job& job) {
  if (job.canonical_state == JobState::kCompleted) return {};
  if (!job.ended()) return "the job is still " + job.state;
  const std::string why = failure_text(job.last_error);
  return "the job ended as " + job.state + (why.empty() ? "" : ", " + why);
}

}  // namespace

int wait_for(Client& client, bool json, const std::string& id, std::optional<Duration> timeout) {
  const base::SystemClock clock;
  const std::int64_t end = timeout ? clock.monotonic().ms + timeout->ms : 0;
  while (true) {
    Duration slice = kOneRequest;
    if (timeout) slice = std::clamp(Duration(end - clock.monotonic().ms), Duration(0), slice);
    const Result<RawAnswer> answer = client.raw(client::wait_request(id, slice));
    if (!answer) return fail(answer.error());
    const Result<Job> job = client::read_bare_job(answer->body);
    if (!job) return fail(job.error());
    if (!job->ended() && (!timeout || clock.monotonic().ms < end)) continue;
    const int printed = print(json ? answer->body + "\n" : job_sheet(*job));
    const std::string complaint = complaint_about(*job);
    if (complaint.empty()) return printed;
    complain(complaint);
    return kFailure;
  }
}

int run_wait(const WaitRequest& request) {
  std::optional<Duration> timeout;
  if (!request.timeout.empty()) {
    timeout = parse_duration(request.timeout);
    if (!timeout) {
      complain("--timeout must be a duration like 90s, 5m or 1h30m");
      return kWrongUsage;
    }
  }
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  return wait_for(*client, request.server.json, request.id, timeout);
}

}  // namespace baton::cli
