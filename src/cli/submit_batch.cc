// Submits the lines of a file, up to a thousand in one request. Every line is a job of its own: one
// that is refused does not keep the others from being made.
#include <charconv>

#include "base/json_writer.h"
#include "cli/input.h"
#include "cli/progress_bar.h"
#include "cli/submit.h"
#include "client/answers.h"
#include "client/requests.h"
#include "json/flaw.h"

namespace baton::cli {
namespace {

constexpr std::size_t kMostLines = 1000;
constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr int kMostComplaints = 20;

struct Line {
  std::size_t number = 0;
  std::string text;
};

struct Counts {
  std::int64_t submitted = 0;
  std::int64_t duplicates = 0;
  std::int64_t failed = 0;
  std::int64_t unanswered = 0;  // whether they were made is not known
};

class BatchSubmitter {
 public:
  explicit BatchSubmitter(Client& client) : client_(client) {}

  // False when the server is gone or refuses everything: going on makes no sense then.
  bool send(std::vector<Line> lines) {
    while (!lines.empty()) {
      std::vector<std::string> texts;
      texts.reserve(lines.size());
      for (const Line& line : lines)
        texts.push_back(line.text);
      const Result<RawAnswer> answer = client_.raw(client::batch_request(texts, false));
      if (answer) return take(lines, answer->body);
      // A line that the server cannot read makes it refuse all of them, and none is made.
      const std::optional<std::size_t> index = index_in(answer.error().field);
      if (!index || *index >= lines.size()) {
        complain(error_text(answer.error()));
        const bool told = answer.error().code != Code::kStoreUnavailable;
        (told ? counts_.failed : counts_.unanswered) += static_cast<std::int64_t>(lines.size());
        return false;
      }
      refuse(lines[*index], answer.error());
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(*index));
    }
    return true;
  }

  void refuse(const Line& line, const Error& error) {
    ++counts_.failed;
    ++complaints_;
    if (complaints_ > kMostComplaints) return;
    complain("line " + std::to_string(line.number) + ": " + error_text(error));
    if (complaints_ == kMostComplaints) complain("further lines are only counted");
  }

  const Counts& counts() const { return counts_; }

 private:
  bool take(const std::vector<Line>& lines, const std::string& body) {
    const auto results = client::read_batch_results(body);
    if (results && results->size() == lines.size()) return count(lines, *results);
    complain(results ? "the server answered for " + std::to_string(results->size()) + " of " +
                           std::to_string(lines.size()) + " jobs"
                     : error_text(results.error()));
    counts_.unanswered += static_cast<std::int64_t>(lines.size());
    return false;
  }

  bool count(const std::vector<Line>& lines, const std::vector<Result<Submitted>>& results) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const Result<Submitted>& result = results[i];
      if (!result) {
        refuse(lines[i], result.error());
      } else {
        ++(result->duplicate ? counts_.duplicates : counts_.submitted);
      }
    }
    return true;
  }

  // 3 for "jobs[3].cost".
  static std::optional<std::size_t> index_in(const std::string& field) {
    constexpr std::string_view kBegin = "jobs[";
    if (!field.starts_with(kBegin)) return std::nullopt;
    std::size_t index = 0;
    const char* end = field.data() + field.size();
    const auto read = std::from_chars(field.data() + kBegin.size(), end, index);
    if (read.ec != std::errc() || read.ptr == end || *read.ptr != ']') return std::nullopt;
    return index;
  }

  Client& client_;
  Counts counts_;
  int complaints_ = 0;
};

// Takes lines from the text until one request is full, or the text at its end.
std::vector<Line> next_lines(std::string_view text, std::size_t& at, std::size_t& number,
                             BatchSubmitter& submitter) {
  std::vector<Line> lines;
  std::size_t bytes = 0;
  while (at < text.size() && lines.size() < kMostLines && bytes < kMostBytes) {
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (const auto flaw = json::find_flaw(line)) {
      submitter.refuse({number, {}}, {.code = Code::kBadRequest,
                                      .message = "is not JSON: " + std::string(flaw->what) +
                                                 " at byte " + std::to_string(flaw->at)});
      continue;
    }
    bytes += line.size();
    lines.push_back({number, std::string(line)});
  }
  return lines;
}

std::string summary(const Counts& counts, bool as_json) {
  std::string text;
  if (!as_json) {
    text = "submitted " + std::to_string(counts.submitted);
    if (counts.duplicates > 0) text += ", there before " + std::to_string(counts.duplicates);
    if (counts.failed > 0) text += ", failed " + std::to_string(counts.failed);
    if (counts.unanswered > 0) text += ", not answered " + std::to_string(counts.unanswered);
    return text + "\n";
  }
  base::JsonWriter json(text);
  json.begin_object();
  json.key("submitted");
  json.number(counts.submitted);
  json.key("duplicates");
  json.number(counts.duplicates);
  json.key("failed");
  json.number(counts.failed);
  json.key("unanswered");
  json.number(counts.unanswered);
  json.end_object();
  return text + "\n";
}

}  // namespace

int run_submit_batch(const SubmitRequest& request) {
  if (!request.type.empty()) {
    complain("the lines of a batch have a type each; TYPE does not go with --batch");
    return kWrongUsage;
  }
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  const auto text = read_all(request.batch);
  if (!text) return kWrongUsage;
  BatchSubmitter submitter(*client);
  ProgressBar bar(text->size());
  std::size_t at = 0;
  std::size_t number = 0;
  bool going = true;
  while (at < text->size() && going) {
    going = submitter.send(next_lines(*text, at, number, submitter));
    const Counts& counts = submitter.counts();
    bar.show(at, counts.submitted + counts.duplicates);
  }
  bar.clear();
  if (!going && at < text->size()) {
    complain("stopped after line " + std::to_string(number) + " of the file");
  }
  const int printed = print(summary(submitter.counts(), request.server.json));
  return submitter.counts().failed == 0 && going ? printed : kFailure;
}

}  // namespace baton::cli
