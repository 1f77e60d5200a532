#include "cli/change_job.h"

#include "client/answers.h"
#include "client/requests.h"

namespace baton::cli {
namespace {

using MakeRequest = std::function<RawRequest(const std::string& id)>;
using ShowJob = std::function<std::string(const std::string& id, const Job& job)>;

int run_each(const ChangeRequest& request, const MakeRequest& make, const ShowJob& show) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  int outcome = kSuccess;
  for (const std::string& id : request.ids) {
    const int one = ask<Job>(*client, request.server.json, make(id), client::read_wrapped_job,
                             [&](const Job& job) { return show(id, job); });
    if (one != kSuccess) outcome = one;
  }
  return outcome;
}

}  // namespace

int run_cancel(const ChangeRequest& request) {
  return run_each(
      request,
      [&](const std::string& id) {
        return client::cancel_request(id, {.force = request.force, .reason = request.reason});
      },
      [](const std::string& id, const Job& job) {
        if (job.ended()) return id + "  " + job.state + "\n";
        return id + "  " + job.state + ", its worker is asked to stop\n";
      });
}

int run_retry(const ChangeRequest& request) {
  return run_each(request, client::redrive_request, [](const std::string& id, const Job& job) {
    return id + "  again as " + job.id + "\n";
  });
}

}  // namespace baton::cli
