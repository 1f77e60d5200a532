#include "api/routes.h"

#include <array>

#include "api/handlers.h"

namespace baton::api {
namespace {

using http::Method;

constexpr Route kRoutes[] = {
    {Method::kPost, "/v1/jobs", create_job, Body::kJson},
    {Method::kGet, "/v1/jobs", list_jobs, Body::kNone, Query::kParsed},
    {Method::kPost, "/v1/jobs/batch", create_batch, Body::kJson},
    {Method::kPost, "/v1/jobs/bulk", change_many, Body::kJson},
    {Method::kGet, "/v1/jobs/{id}", get_job},
    {Method::kPatch, "/v1/jobs/{id}", patch_job, Body::kJson},
    {Method::kDelete, "/v1/jobs/{id}", delete_job},
    {Method::kGet, "/v1/jobs/{id}/history", get_history, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/jobs/{id}/executions", get_executions, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/jobs/{id}/wait", wait_for_job, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/jobs/{id}/result", get_result},
    {Method::kGet, "/v1/jobs/{id}/explain", explain_job},
    {Method::kPost, "/v1/jobs/{id}/submit", submit_draft, Body::kEmpty},
    {Method::kPost, "/v1/jobs/{id}/cancel", cancel_job, Body::kOptional},
    {Method::kPost, "/v1/jobs/{id}/reject", reject_job, Body::kOptional},
    {Method::kPost, "/v1/jobs/{id}/retry", retry_job, Body::kOptional},

    {Method::kPost, "/v1/claims", claim, Body::kJson},
    {Method::kPost, "/v1/executions/batch", work_batch, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/start", start_execution, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/heartbeat", heartbeat, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/commit", commit, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/done", finish, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/ack", ack, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/nack", nack, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/reject", reject_execution, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/cancelled", confirm_cancelled, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/release", release_execution, Body::kJson},
    {Method::kPost, "/v1/executions/{id}/spawn", spawn, Body::kJson},

    {Method::kGet, "/v1/queues", list_queues, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/queues/{name}", get_queue},
    {Method::kPut, "/v1/queues/{name}", put_queue, Body::kJson},
    {Method::kDelete, "/v1/queues/{name}", delete_queue},
    {Method::kPost, "/v1/queues/{name}/pause", pause_queue, Body::kEmpty},
    {Method::kPost, "/v1/queues/{name}/resume", resume_queue, Body::kEmpty},
    {Method::kPost, "/v1/queues/{name}/drain", drain_queue, Body::kEmpty},
    {Method::kGet, "/v1/workers", list_workers, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/stats", get_stats, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/events", follow_events, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/dead-letters", list_dead_letters, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/accounts/{id}", get_account},
    {Method::kPost, "/v1/accounts/{id}/grant", grant_credits, Body::kJson},
    {Method::kGet, "/v1/accounts/{id}/entries", list_entries, Body::kNone, Query::kParsed},
    {Method::kGet, "/v1/profiles", get_profiles},

    {Method::kGet, "/healthz", healthz},
    {Method::kGet, "/readyz", readyz},
    {Method::kGet, "/openapi.json", get_openapi},
    {Method::kGet, "/", status_page, Body::kNone, Query::kNone, Shows::kPage},
};

std::string_view method_name(Method method) {
  switch (method) {
    case Method::kGet:
      return "GET";
    case Method::kPost:
      return "POST";
    case Method::kPut:
      return "PUT";
    case Method::kPatch:
      return "PATCH";
    case Method::kDelete:
      return "DELETE";
    default:
      return "";
  }
}

bool is_place(std::string_view part) { return part.starts_with('{'); }

// Whether the path has these parts; a place takes any part that is not empty. A word wins over a
// place only by standing earlier in the table.
bool fits(std::string_view path, const std::vector<std::string>& parts) {
  path.remove_prefix(1);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t slash = path.find('/');
    const std::string_view expected = path.substr(0, slash);
    if (is_place(expected) ? parts[i].empty() : expected != parts[i]) return false;
    const bool last = slash == std::string_view::npos;
    if (last != (i + 1 == parts.size())) return false;
    if (!last) path.remove_prefix(slash + 1);
  }
  return true;
}

std::vector<std::string> names_in(std::string_view path, std::vector<std::string>& parts) {
  std::vector<std::string> names;
  path.remove_prefix(1);
  for (std::string& part : parts) {
    const std::size_t slash = path.find('/');
    if (is_place(path.substr(0, slash))) names.push_back(std::move(part));
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return names;
}

}  // namespace

Match find_route(Method method, std::vector<std::string> parts) {
  const Method asked = method == Method::kHead ? Method::kGet : method;
  Match match;
  std::string_view path;  // of the first row that fits; others with the same path belong to it
  for (const Route& route : kRoutes) {
    if (path.empty() ? !fits(route.path, parts) : route.path != path) continue;
    path = route.path;
    if (route.method == asked) {
      match.route = &route;
      match.names = names_in(route.path, parts);
      return match;
    }
    match.allowed += (match.allowed.empty() ? "" : ", ") + std::string(method_name(route.method));
    if (route.method == Method::kGet) match.allowed += ", HEAD";
  }
  return match;
}

}  // namespace baton::api
