#include "cli/list.h"

#include <iterator>
#include <utility>

#include "cli/job_text.h"
#include "cli/terminal.h"
#include "cli/times.h"
#include "client/answers.h"
#include "client/requests.h"

namespace baton::cli {
namespace {

std::optional<std::string> given(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

// Each gives what is wrong with its option; empty when nothing is.
std::string take_filter_times(const ListRequest& request, JobFilter& filter) {
  if (!request.created_after.empty()) {
    filter.created_after = parse_moment(request.created_after);
    if (!filter.created_after) return "--created-after must be a time like 2030-01-02T03:04:05Z";
  }
  if (!request.created_before.empty()) {
    filter.created_before = parse_moment(request.created_before);
    if (!filter.created_before) return "--created-before must be a time like 2030-01-02T03:04:05Z";
  }
  return {};
}

std::string take_filter_words(const ListRequest& request, JobFilter& filter) {
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
  JobFilter filter;
  filter.queue = given(request.queue);
  filter.state = given(request.state);
  filter.type = given(request.type);
  filter.correlation_id = given(request.correlation_id);
  filter.account = given(request.account);
  filter.cursor = request.cursor;
  for (const auto take : {take_filter_times, take_filter_words}) {
    const std::string wrong = take(request, filter);
    if (wrong.empty()) continue;
    complain(wrong);
    return std::nullopt;
  }
  return filter;
}

// A page for people: the server may stop a list early, and then it is asked on.
Result<JobPage> whole_page(Client& client, JobFilter filter,
                           RawRequest (*page_request)(const JobFilter&)) {
  JobPage whole;
  const std::size_t wanted = filter.limit;
  do {
    filter.limit = wanted - whole.jobs.size();
    const Result<RawAnswer> answer = client.raw(page_request(filter));
    if (!answer) return answer.error();
    Result<JobPage> page = client::read_job_page(answer->body);
    if (!page) return page.error();
    std::move(page->jobs.begin(), page->jobs.end(), std::back_inserter(whole.jobs));
    whole.next_cursor = filter.cursor = std::move(page->next_cursor);
  } while (whole.jobs.size() < wanted && !whole.next_cursor.empty());
  return whole;
}

// As the server answers.
int print_json(const ListRequest& request, Client& client, JobFilter filter,
               RawRequest (*page_request)(const JobFilter&)) {
  while (true) {
    const Result<RawAnswer> answer = client.raw(page_request(filter));
    if (!answer) return fail(answer.error());
    const Result<JobPage> page = client::read_job_page(answer->body);
    if (!page) return fail(page.error());
    const int printed = print(answer->body + "\n");
    if (printed != kSuccess || page->next_cursor.empty() || !request.all) return printed;
    filter.cursor = page->next_cursor;
  }
}

int run(const ListRequest& request, RawRequest (*page_request)(const JobFilter&)) {
  std::optional<JobFilter> filter = filter_of(request);
  if (!filter) return kWrongUsage;
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  if (request.server.json) return print_json(request, *client, *filter, page_request);
  while (true) {
    const Result<JobPage> page = whole_page(*client, *filter, page_request);
    if (!page) return fail(page.error());
    const bool more = !page->next_cursor.empty();
    std::string text = job_table(page->jobs);
    if (more && !request.all) {
      text += coloured("more: --cursor " + page->next_cursor, Tone::kFaint) + "\n";
    }
    const int printed = print(text);
    if (printed != kSuccess || !more || !request.all) return printed;
    filter->cursor = page->next_cursor;
  }
}

}  // namespace

int run_list(const ListRequest& request) { return run(request, client::list_request); }
int run_dead(const ListRequest& request) { return run(request, client::dead_letters_request); }

}  // namespace baton::cli
