// `baton submit`: makes one job, or one for each line of a file, up to a thousand in one request.
// Every line is a job of its own: one that is refused does not keep the others from being made.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/clock.h"
#include "base/json_writer.h"
#include "cli/commands.h"
#include "cli/times.h"
#include "client/answers.h"
#include "client/requests.h"
#include "json/flaw.h"

namespace baton::cli {
namespace {

struct SubmitRequest {
  ServerRequest server;
  std::string type;
  std::string queue = "default";
  std::optional<std::string> payload;  // JSON, or "-": standard input
  std::string payload_file;            // "-": standard input
  std::string content_type = "application/json";
  std::string priority;
  std::string delay;
  std::string run_at;
  std::string key;
  std::string unique;
  std::string unique_while;
  std::string on_conflict;
  std::vector<std::string> tags;   // k=v
  std::vector<std::string> after;  // ids
  std::optional<int> max_attempts;
  std::string account;
  std::string correlation_id;
  bool draft = false;
  bool wait = false;
  std::string batch;  // a file with a submission on each line, "-": standard input
};

// ---- One job ------------------------------------------------------------------------------------

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

bool take_tags(const SubmitRequest& request, Submission& job) {
  for (const std::string& tag : request.tags) {
    const std::size_t equals = tag.find('=');
    if (equals == std::string::npos || equals == 0) return wrong("--tag must be KEY=VALUE");
    const std::string key = tag.substr(0, equals);
    std::erase_if(job.tags, [&](const auto& earlier) { return earlier.first == key; });
    job.tags.emplace_back(key, tag.substr(equals + 1));
  }
  return true;
}

// A word of the wire, or as it is by default where none is given.
template <class Enum>
bool take_word(const char* option, const std::string& text, Enum& into) {
  if (text.empty()) return true;
  const auto value = parse<Enum>(text);
  if (value) {
    into = *value;
    return true;
  }
  std::string words;
  for (const std::string_view word : kNames<Enum>)
    words += (words.empty() ? "" : ", ") + std::string(word);
  return wrong(std::string(option) + " must be one of " + words);
}

bool take_unique(const SubmitRequest& request, Submission& job) {
  if (request.unique.empty()) return true;
  Unique& unique = job.unique.emplace();
  unique.key = request.unique;
  return take_word("--unique-while", request.unique_while, unique.held_while) &&
         take_word("--on-conflict", request.on_conflict, unique.on_conflict);
}

// What the command line asks for; nullopt after a complaint.
std::optional<Submission> submission_of(const SubmitRequest& request) {
  Submission job{.type = request.type, .queue = request.queue};
  Time run_at;
  if (!take_payload(request, job) || !take_priority(request.priority, job) ||
      !take_duration("--delay", request.delay, job.delay) ||
      !take_moment("--run-at", request.run_at, run_at) || !take_tags(request, job) ||
      !take_unique(request, job)) {
    return std::nullopt;
  }
  if (run_at.is_set()) job.run_at = run_at;
  if (!request.key.empty()) job.idempotency_key = request.key;
  if (!request.after.empty()) job.depends_on.push_back({.jobs = request.after});
  job.retry.max_attempts = request.max_attempts;
  job.account = request.account;
  job.correlation_id = request.correlation_id;
  job.draft = request.draft;
  return job;
}

// ---- Many jobs ----------------------------------------------------------------------------------

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
      const Result<RawAnswer> answer = client_.raw(client::batch_request(texts, false)).get();
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

// How far a long command is, on standard error and only when that is a terminal.
class ProgressBar {
 public:
  explicit ProgressBar(std::size_t total) : total_(total) {}

  // `done` of the total, which are so many jobs.
  void show(std::size_t done, std::int64_t jobs) {
    if (!wanted_ || total_ == 0) return;
    constexpr std::size_t kWidth = 30;
    const std::size_t filled = std::min(done, total_) * kWidth / total_;
    const std::int64_t ms = std::max<std::int64_t>(clock_.monotonic().ms - begun_.ms, 1);
    const std::string bar = std::string(filled, '#') + std::string(kWidth - filled, '.');
    std::fprintf(stderr, "\r[%s] %lld jobs, %lld/s ", bar.c_str(), static_cast<long long>(jobs),
                 static_cast<long long>(jobs * 1000 / ms));
  }
  // Leaves the line to others.
  void clear() {
    if (wanted_) std::fputs("\r\x1b[K", stderr);
  }

 private:
  bool wanted_ = ::isatty(STDERR_FILENO) == 1;
  std::size_t total_;
  base::SystemClock clock_;
  Duration begun_ = clock_.monotonic();
};

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
  json.member("submitted", counts.submitted);
  json.member("duplicates", counts.duplicates);
  json.member("failed", counts.failed);
  json.member("unanswered", counts.unanswered);
  json.end_object();
  return text + "\n";
}

int run_submit_batch(const SubmitRequest& request) {
  if (!request.type.empty())
    return refuse("the lines of a batch have a type each; TYPE does not go with --batch");
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

int run_submit(const SubmitRequest& request) {
  if (!request.batch.empty()) return run_submit_batch(request);
  if (request.type.empty()) return refuse("the type of the job is needed, or --batch FILE");
  const std::optional<Submission> job = submission_of(request);
  if (!job) return kWrongUsage;
  const auto client = open_client(request.server);
  if (!client) return kWrongUsage;
  const auto answer = call(*client, client::submit_request(*job), client::read_submitted);
  if (!answer) return fail(answer.error());
  const Submitted& submitted = answer->value;
  if (request.wait)
    return wait_for(*client, request.server.json, to_string(submitted.id), std::nullopt);
  if (request.server.json) return print(answer->body + "\n");
  if (submitted.duplicate) {
    complain("a submission with this key was there before: the same job");
    if (submitted.payload_differs.value_or(false)) complain("its payload was another one");
  }
  return print(to_string(submitted.id) + "\n");
}

}  // namespace

void add_submit(Program& program) {
  const auto submit = add_server_command(
      program,
      {"submit", "Make a job, or one for each line of a file",
       "Examples:\n"
       "  baton submit mail '{\"to\":\"me\"}' --queue letters --key letter-17\n"
       "  baton submit resize --payload-file photo.json --delay 5m --wait\n"
       "  baton submit --batch jobs.jsonl   each line {\"type\":…,\"payload\":…}"},
      run_submit);
  submit.option("TYPE", &SubmitRequest::type, "The type of the job");
  CLI::Option* payload =
      submit.option("PAYLOAD,--payload", &SubmitRequest::payload, "JSON; - reads standard input");
  submit.option("--payload-file", &SubmitRequest::payload_file, "A file with the payload")
      ->excludes(payload);
  submit.option("--content-type", &SubmitRequest::content_type, "Of a payload that is not JSON");
  submit.option("--queue", &SubmitRequest::queue, "The queue")->capture_default_str();
  submit.option("--priority", &SubmitRequest::priority, "critical, high, normal, low, bulk or 0-4");
  CLI::Option* delay = submit.option("--delay", &SubmitRequest::delay, "Like 90s, 5m or 1h30m");
  submit.option("--run-at", &SubmitRequest::run_at, "Like 2030-01-02T03:04:05Z")->excludes(delay);
  submit.option("--key", &SubmitRequest::key, "Idempotency key: the same key, the same job");
  CLI::Option* unique =
      submit.option("--unique", &SubmitRequest::unique, "Key that one job at a time may have");
  submit.option("--unique-while", &SubmitRequest::unique_while, "waiting or active (the default)")
      ->needs(unique);
  submit
      .option("--on-conflict", &SubmitRequest::on_conflict,
              "existing (the default), replace or refuse")
      ->needs(unique);
  submit.option("--tag", &SubmitRequest::tags, "KEY=VALUE; several")->allow_extra_args(false);
  submit.option("--after", &SubmitRequest::after, "Id of a job that must end first; several")
      ->allow_extra_args(false);
  submit.option("--max-attempts", &SubmitRequest::max_attempts, "The first one included");
  submit.option("--account", &SubmitRequest::account, "The account that pays");
  submit.option("--correlation-id", &SubmitRequest::correlation_id, "To find it again");
  submit.flag("--draft", &SubmitRequest::draft, "Make it, and do not run it yet");
  submit.flag("--wait", &SubmitRequest::wait, "Wait for its end; succeed if it does");
  submit.option("--batch", &SubmitRequest::batch, "A file with one submission a line, - for stdin");
}

}  // namespace baton::cli
