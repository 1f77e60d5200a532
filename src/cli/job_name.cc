#include "cli/job_name.h"

#include <vector>

#include "cli/terminal.h"

namespace baton::cli {
namespace {

constexpr std::size_t kShortest = 8;
constexpr std::size_t kWhole = 36;

bool begins_an_id(const std::string& text) {
  return text.size() >= kShortest && text.size() < kWhole &&
         text.find_first_not_of("0123456789abcdefABCDEF-") == std::string::npos;
}

// The first two; a page may come without any, and others behind it.
Result<std::vector<Job>> begin_so(Client& client, const std::string& text) {
  std::vector<Job> found;
  JobFilter filter{.id_prefix = text, .limit = 2};
  do {
    Result<JobPage> page = client.list(filter).get();
    if (!page) return page.error();
    found.insert(found.end(), page->jobs.begin(), page->jobs.end());
    filter.cursor = page->next_cursor;
  } while (found.size() < 2 && !filter.cursor.empty());
  return found;
}

}  // namespace

Result<std::string> id_of(Client& client, const std::string& text) {
  if (!begins_an_id(text)) return text;
  const Result<std::vector<Job>> found = begin_so(client, text);
  if (!found) return found.error();
  const std::string named = printable(text);
  if (found->empty()) {
    return Error{.code = Code::kNotFound, .message = "no job has an id that begins with " + named};
  }
  if (found->size() == 1) return to_string(found->front().id);
  return Error{.code = Code::kBadRequest,
               .message = "several jobs have ids that begin with " + named + ": " +
                          to_string((*found)[0].id) + ", " + to_string((*found)[1].id) +
                          "; give more of it"};
}

}  // namespace baton::cli
