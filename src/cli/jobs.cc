// The commands on jobs that are there: `baton show`, `list`, `dead`, `wait`, `cancel`, `retry` and
// `explain`.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/job_name.h"
#include "cli/job_text.h"
#include "cli/terminal.h"
#include "cli/times.h"
#include "client/answers.h"
#include "client/requests.h"

namespace baton::cli {
namespace {

// ---- show, explain ------------------------------------------------------------------------------

struct ShowRequest {
  ServerRequest server;
  std::string id;
  bool history = false;
  bool executions = false;
};

int run_show(const ShowRequest& request) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  const Result<std::string> id = id_of(*client, request.id);
  if (!id) return fail(id.error());
  const bool json = request.server.json;
  // Programs get one document: what they asked for by name, else the job.
  const bool job = !json || (!request.history && !request.executions);
  const std::string gap = job ? "\n" : "";
  int outcome = kSuccess;
  if (job) {
    outcome = ask(*client, json, client::get_request(*id), client::read_bare_job, job_sheet);
  }
  if (outcome == kSuccess && request.history) {
    outcome = ask(*client, json, client::part_request(*id, "history"), client::read_history,
                  [&](const auto& history) { return gap + history_table(history); });
  }
  if (outcome == kSuccess && request.executions) {
    outcome = ask(*client, json, client::part_request(*id, "executions"), client::read_executions,
                  [&](const auto& executions) { return gap + execution_table(executions); });
  }
  return outcome;
}

struct ExplainRequest {
  ServerRequest server;
  std::string id;
};

int run_explain(const ExplainRequest& request) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  const Result<std::string> id = id_of(*client, request.id);
  if (!id) return fail(id.error());
  return ask(*client, request.server.json, client::part_request(*id, "explain"),
             client::read_explanation_answer, explanation_sheet);
}

// ---- list, dead ---------------------------------------------------------------------------------

struct ListRequest {
  ServerRequest server;
  RawRequest (*page_request)(const JobFilter&) = client::list_request;
  std::string queue;
  std::string state;
  std::string canonical_state;
  std::string type;
  std::string parent;
  std::string tag;  // k=v
  std::string correlation_id;
  std::string account;
  std::string created_after;
  std::string created_before;
  std::string cursor;
  int limit = 50;
  bool all = false;       // page after page, until there are no more
  bool redriven = false;  // dead letters: also those of which a copy was made
};

// What is wrong with the words of the request; empty when nothing is.
std::string take_words(const ListRequest& request, JobFilter& filter) {
  if (request.redriven) filter.redriven = Redriven::kAll;
  if (!request.canonical_state.empty()) {
    filter.canonical_state = parse<JobState>(request.canonical_state);
    if (!filter.canonical_state) return "--canonical-state must be a state like DEAD_LETTER";
  }
  if (!request.tag.empty()) {
    const std::size_t equals = request.tag.find('=');
    if (equals == std::string::npos) return "--tag must be KEY=VALUE";
    filter.tag.emplace(request.tag.substr(0, equals), request.tag.substr(equals + 1));
  }
  if (request.limit < 1 || request.limit > 1000) return "--limit must be from 1 to 1000";
  filter.limit = static_cast<std::size_t>(request.limit);
  return {};
}

// nullopt after a complaint.
std::optional<JobFilter> filter_of(const ListRequest& request) {
  const auto given = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  JobFilter filter;
  filter.queue = given(request.queue);
  filter.state = given(request.state);
  filter.type = given(request.type);
  filter.correlation_id = given(request.correlation_id);
  filter.account = given(request.account);
  filter.cursor = request.cursor;
  if (!take_moment("--created-after", request.created_after, filter.created_after) ||
      !take_moment("--created-before", request.created_before, filter.created_before))
    return std::nullopt;
  const std::string wrong = take_words(request, filter);
  if (wrong.empty()) return filter;
  complain(wrong);
  return std::nullopt;
}

// A page and its text. The server may stop a list early; then people still get a full page, and
// programs each answer as it is.
Result<Answered<JobPage>> next_page(const ListRequest& request, Client& client, JobFilter filter) {
  if (request.server.json) {
    auto answer = call(client, request.page_request(filter), client::read_job_page);
    if (answer) answer->body += "\n";
    return answer;
  }
  JobPage whole;
  const std::size_t wanted = filter.limit;
  do {
    filter.limit = wanted - whole.jobs.size();
    auto answer = call(client, request.page_request(filter), client::read_job_page);
    if (!answer) return answer.error();
    JobPage& page = answer->value;
    std::move(page.jobs.begin(), page.jobs.end(), std::back_inserter(whole.jobs));
    whole.next_cursor = filter.cursor = std::move(page.next_cursor);
  } while (whole.jobs.size() < wanted && !whole.next_cursor.empty());
  std::string text = job_table(whole.jobs);
  if (!whole.next_cursor.empty() && !request.all)
    text += coloured("more: --cursor " + whole.next_cursor, Tone::kFaint) + "\n";
  return Answered<JobPage>{std::move(whole), std::move(text)};
}

int run_list(const ListRequest& request) {
  std::optional<JobFilter> filter = filter_of(request);
  if (!filter) return kWrongUsage;
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  if (!request.parent.empty()) {
    const Result<std::string> parent = id_of(*client, request.parent);
    if (!parent) return fail(parent.error());
    filter->parent = parse_job_id(*parent);
    if (!filter->parent) return refuse("--parent must be the id of a job");
  }
  while (true) {
    const auto page = next_page(request, *client, *filter);
    if (!page) return fail(page.error());
    const int printed = print(page->body);
    filter->cursor = page->value.next_cursor;
    if (printed != kSuccess || filter->cursor.empty() || !request.all) return printed;
  }
}

// ---- wait ---------------------------------------------------------------------------------------

struct WaitRequest {
  ServerRequest server;
  std::string id;
  std::string timeout;  // empty: as long as it takes
};

constexpr Duration kOneRequest{60'000};

// What is wrong with how the job is now; empty when it was completed.
std::string complaint_about(const Job& job) {
  if (job.canonical_state == JobState::kCompleted) return {};
  if (!job.ended()) return "the job is still " + job.state;
  const std::string why = failure_text(job.last_error);
  return "the job ended as " + job.state + (why.empty() ? "" : ", " + why);
}

int run_wait(const WaitRequest& request) {
  std::optional<Duration> timeout;
  if (!take_duration("--timeout", request.timeout, timeout)) return kWrongUsage;
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  const Result<std::string> id = id_of(*client, request.id);
  if (!id) return fail(id.error());
  return wait_for(*client, request.server.json, *id, timeout);
}

// ---- cancel, retry ------------------------------------------------------------------------------

struct ChangeRequest {
  ServerRequest server;
  std::vector<std::string> ids;
  bool force = false;              // cancel: do not wait for the worker
  std::string reason;              // cancel
  bool again = false;              // retry
  bool drop_dependencies = false;  // retry
};

// Changes each of the jobs; fails when it failed for one of them.
int run_each(const ChangeRequest& request, const auto& make, const auto& show) {
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  int outcome = kSuccess;
  for (const std::string& name : request.ids) {
    const Result<std::string> id = id_of(*client, name);
    const int one = !id ? fail(id.error())
                        : ask(*client, request.server.json, make(*id), client::read_wrapped_job,
                              [&](const Job& job) { return *id + "  " + show(job) + "\n"; });
    if (one != kSuccess) outcome = one;
  }
  return outcome;
}

int run_cancel(const ChangeRequest& request) {
  const auto make = [&](const std::string& id) {
    return client::cancel_request(id, {.force = request.force, .reason = request.reason});
  };
  return run_each(request, make, [](const Job& job) {
    return job.ended() ? job.state : job.state + ", its worker is asked to stop";
  });
}

int run_retry(const ChangeRequest& request) {
  const auto make = [&](const std::string& id) {
    return client::redrive_request(
        id, {.again = request.again, .drop_dependencies = request.drop_dependencies});
  };
  return run_each(request, make, [](const Job& job) { return "again as " + to_string(job.id); });
}

// ---- The command line ---------------------------------------------------------------------------

void add_filter(const Subcommand<ListRequest>& list) {
  list.option("--queue", &ListRequest::queue, "Only of this queue");
  list.option("--type", &ListRequest::type, "Only of this type");
  list.option("--parent", &ListRequest::parent, "Only those that this job's commit made: its id");
  list.option("--tag", &ListRequest::tag, "Only with this tag: KEY=VALUE");
  list.option("--correlation-id", &ListRequest::correlation_id, "Only with this correlation id");
  list.option("--account", &ListRequest::account, "Only of this account");
  list.option("--created-after", &ListRequest::created_after, "Like 2030-01-02T03:04:05Z");
  list.option("--created-before", &ListRequest::created_before, "Like 2030-01-02T03:04:05Z");
  list.option("--limit", &ListRequest::limit, "How many, 1 to 1000")->capture_default_str();
  CLI::Option* cursor = list.option("--cursor", &ListRequest::cursor, "The page after this one");
  list.flag("--all", &ListRequest::all, "All pages")->excludes(cursor);
}

void add_lists(Program& program) {
  const auto list = add_server_command(program,
                                       {"list", "List jobs, newest first",
                                        "Examples:\n"
                                        "  baton list --queue letters --state FAILED\n"
                                        "  baton list --tag customer=17 --limit 1000 --json"},
                                       run_list);
  list.option("--state", &ListRequest::state, "Only in this state, as shown");
  list.option("--canonical-state", &ListRequest::canonical_state, "Only in this canonical state");
  add_filter(list);
  const auto dead = add_server_command(program,
                                       {"dead", "List the jobs that no attempt could finish",
                                        "Examples:\n"
                                        "  baton dead --queue letters\n"
                                        "  baton retry ID    makes a new job from one of them"},
                                       run_list);
  dead.request->page_request = client::dead_letters_request;
  dead.flag("--redriven", &ListRequest::redriven, "Also those that were redriven since");
  add_filter(dead);
}

void add_changes(Program& program) {
  const auto cancel =
      add_server_command(program,
                         {"cancel", "Cancel jobs; a running one is asked to stop",
                          "Examples:\n"
                          "  baton cancel ID --reason 'sent by mistake'\n"
                          "  baton cancel ID --force    without waiting for its worker"},
                         run_cancel);
  cancel.option("ID", &ChangeRequest::ids, "The jobs")->required();
  cancel.flag("--force", &ChangeRequest::force, "Do not wait for the worker");
  cancel.option("--reason", &ChangeRequest::reason, "For the record");
  const auto retry =
      add_server_command(program,
                         {"retry", "Make new jobs from jobs that ended badly",
                          "Examples:\n"
                          "  baton retry ID\n"
                          "  baton retry ID --again    although a copy was made before"},
                         run_retry);
  retry.option("ID", &ChangeRequest::ids, "The jobs")->required();
  retry.flag("--again", &ChangeRequest::again, "Also of jobs that were redriven before");
  retry.flag("--drop-dependencies", &ChangeRequest::drop_dependencies,
             "The new jobs wait for no others");
}

}  // namespace

int wait_for(Client& client, bool json, const std::string& id, std::optional<Duration> timeout) {
  const base::SystemClock clock;
  const std::int64_t end = timeout ? clock.monotonic().ms + timeout->ms : 0;
  while (true) {
    Duration slice = kOneRequest;
    if (timeout) slice = std::clamp(Duration(end - clock.monotonic().ms), Duration(0), slice);
    const auto answer = call(client, client::wait_request(id, slice), client::read_bare_job);
    if (!answer) return fail(answer.error());
    const Job& job = answer->value;
    if (!job.ended() && (!timeout || clock.monotonic().ms < end)) continue;
    const int printed = print(json ? answer->body + "\n" : job_sheet(job));
    const std::string complaint = complaint_about(job);
    return complaint.empty() ? printed : fail(complaint);
  }
}

void add_job_commands(Program& program) {
  const auto show = add_server_command(program,
                                       {"show", "Show a job",
                                        "Examples:\n"
                                        "  baton show ID\n"
                                        "  baton show ID --history --executions"},
                                       run_show);
  show.option("ID", &ShowRequest::id, "The job")->required();
  show.flag("--history", &ShowRequest::history, "What happened to it");
  show.flag("--executions", &ShowRequest::executions, "Its attempts, and how they ended");
  add_lists(program);
  const auto wait =
      add_server_command(program,
                         {"wait", "Wait for the end of a job; succeed if it was completed",
                          "Examples:\n  baton wait ID --timeout 10m && echo done"},
                         run_wait);
  wait.option("ID", &WaitRequest::id, "The job")->required();
  wait.option("--timeout", &WaitRequest::timeout, "Like 90s or 5m; else as long as it takes");
  add_changes(program);
  const auto explain =
      add_server_command(program,
                         {"explain", "Say why a job is in its state and what it waits for",
                          "Examples:\n  baton explain ID"},
                         run_explain);
  explain.option("ID", &ExplainRequest::id, "The job")->required();
}

}  // namespace baton::cli
