#include "api/events.h"

#include <array>
#include <charconv>

#include "api/answer.h"
#include "api/filter.h"
#include "api/handlers.h"
#include "base/json_writer.h"
#include "http/problem.h"
#include "wire/shapes.h"

namespace baton::api {
namespace {

constexpr std::size_t kRemembered = 10'000;
constexpr std::size_t kMostStreams = 1'000;
// Events that are looked at, and bytes that are made, before others have their turn.
constexpr std::size_t kAtOnce = 256;
constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
constexpr Duration kSignOfLife = base::seconds(15);
constexpr std::string_view kResync = "event: resync\ndata: {}\n\n";
constexpr std::string_view kComment = ":\n\n";

http::Response stream_head(std::string body) {
  return {.status = 200,
          .content_type = "text/event-stream",
          .body = std::move(body),
          .fields = {{"Cache-Control", "no-store"}}};
}

std::string hex(std::uint64_t number) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  return {digits.data(), end.ptr};
}

using store::Happening;

constexpr wire::Row<Happening> kEvent[] = {
    wire::written<&Happening::job>("job_id"),
    wire::written<&Happening::queue>("queue"),
    wire::written<&Happening::type>("type"),
    {"state", nullptr,
     [](wire::RowOutput& out, std::string_view name, const Happening& what) {
       out.key(name);
       out.json.string(what.profile->word(what.step.to));
     }},
    wire::written<&Happening::step, &HistoryEntry::to>("canonical_state"),
    wire::written<&Happening::step, &HistoryEntry::from>("from"),
    wire::written<&Happening::step, &HistoryEntry::to>("to"),
    wire::written<&Happening::step, &HistoryEntry::trigger>("trigger"),
    wire::written<&Happening::step, &HistoryEntry::at>("at"),
    {"execution_id", nullptr,
     [](wire::RowOutput& out, std::string_view name, const Happening& what) {
       write_execution(out, name, what.job, what.step.attempt);
     }},
    wire::written<&Happening::version>("version"),
};

void write_event(std::string& out, const std::string& epoch, const engine::JobEvent& event) {
  const store::Happening& what = event.what;
  out += "id: " + epoch + "-" + std::to_string(event.number) + "\nevent: job\ndata: ";
  base::JsonWriter json(out);
  wire::RowOutput output{json, wire::Message::kAnswer};
  json.begin_object();
  wire::write_rows<Happening>(output, what, kEvent);
  json.end_object();
  out += "\n\n";
}

Result<EventFilter> decode_event_query(std::string_view query) {
  const auto parameters = http::parse_query(query);
  if (!parameters) return parameters.error();
  if (const auto checked = check_parameters(*parameters, {"queue", "job"}); !checked) {
    return checked.error();
  }
  EventFilter filter;
  for (const http::Parameter& parameter : *parameters) {
    if (parameter.name == "queue") {
      filter.queue = parameter.value;
    } else {
      filter.job = parse_job_id(parameter.value);
      if (!filter.job) return bad_request("job must be the id of a job", "job");
    }
  }
  return filter;
}

}  // namespace

EventStreams::EventStreams(engine::Alarm& alarm, std::uint64_t epoch)
    : alarm_(alarm), epoch_(hex(epoch)), ring_(kRemembered) {}

EventStreams::~EventStreams() { close(); }

template <class Keep>
void EventStreams::each(Keep keep) {
  for (auto stream = streams_.begin(); stream != streams_.end();) {
    stream = keep(*stream) ? std::next(stream) : streams_.erase(stream);
  }
  followed_ = !streams_.empty();
}

void EventStreams::happened(const std::vector<store::Happening>& happenings) {
  ring_.happened(happenings);
  if (!followed_ || news_due_.exchange(true)) return;
  alarm_.after({}, [this] { tell_news(); });
}

void EventStreams::tell_news() {
  news_due_ = false;
  const std::lock_guard lock(mutex_);
  each([](const Stream& stream) { return stream.responder.more(); });
}

// Empty when there is nothing more for now. What passes no filter is passed over.
std::string EventStreams::next_piece(Follower& follower) const {
  std::string text;
  while (text.size() < kPieceBytes) {
    const engine::EventRing::Reading reading = ring_.read(follower.seen, kAtOnce);
    if (reading.missed) text += kResync;
    for (const engine::JobEvent& event : reading.events) {
      if (follower.filter.passes(event.what)) write_event(text, epoch_, event);
      follower.seen = event.number;
    }
    if (reading.missed && reading.events.empty()) follower.seen = ring_.last();
    if (reading.events.size() < kAtOnce) break;
  }
  if (follower.sign_is_due.exchange(false) && text.empty()) text += kComment;
  return text;
}

// Of an event of this start; what is no such id was never given, or by another start.
std::optional<std::uint64_t> EventStreams::number_of(std::string_view id) const {
  if (!id.starts_with(epoch_) || id.substr(epoch_.size()).substr(0, 1) != "-") return std::nullopt;
  const std::string_view digits = id.substr(epoch_.size() + 1);
  std::uint64_t number = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = end.ec == std::errc() && end.ptr == digits.data() + digits.size();
  return whole ? std::optional(number) : std::nullopt;
}

void EventStreams::follow(http::Responder responder, EventFilter filter,
                          std::optional<std::string_view> last_seen) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return responder.send(
        problem_answer({Code::kShuttingDown, "the server is stopping", {}, base::seconds(1)}));
  }
  if (streams_.size() >= kMostStreams)
    each([](const Stream& one) { return !one.responder.closed(); });
  if (streams_.size() >= kMostStreams) {
    return responder.send(http::problem_response(
        {http::Fault::kTooManyConnections, "the server has too many event streams"}));
  }
  auto follower = std::make_shared<Follower>();
  follower->filter = std::move(filter);
  // A number that the ring never gave counts there as one that is forgotten.
  follower->seen = last_seen ? number_of(*last_seen).value_or(UINT64_MAX) : ring_.last();
  // Before the first look, so that what comes after it is news.
  followed_ = true;
  responder.begin_stream(stream_head(": events follow\n\n"),
                         [this, follower] { return next_piece(*follower); });
  streams_.push_back({std::move(responder), std::move(follower)});
  if (next_sign_ == 0) next_sign_ = alarm_.after(kSignOfLife, [this] { keep_alive(); });
}

// A comment now and then: what stands between may close a connection that is quiet for long, and
// only writing tells that a client has gone.
void EventStreams::keep_alive() {
  const std::lock_guard lock(mutex_);
  each([](const Stream& stream) {
    stream.follower->sign_is_due = true;
    return stream.responder.more();
  });
  next_sign_ = streams_.empty() ? 0 : alarm_.after(kSignOfLife, [this] { keep_alive(); });
}

void EventStreams::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (next_sign_ != 0) alarm_.cancel(next_sign_);
  next_sign_ = 0;
  for (const Stream& stream : streams_)
    stream.responder.end();
  streams_.clear();
  followed_ = false;
}

void follow_events(const ApiCall& call) {
  auto filter = decode_event_query(call.request.query);
  if (!filter) return call.answer(problem_answer(filter.error()));
  // Nobody could read what follows.
  if (call.request.method == http::Method::kHead) return call.answer(stream_head({}));
  auto last_seen = call.request.headers.find("last-event-id");
  if (last_seen && last_seen->empty()) last_seen.reset();
  call.service.events.follow(call.responder, std::move(*filter), last_seen);
}

}  // namespace baton::api
