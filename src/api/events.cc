#include "api/events.h"

#include <charconv>

#include "api/answer.h"
#include "api/encode_parts.h"
#include "api/filter.h"
#include "api/handlers.h"
#include "base/json_writer.h"

namespace baton::api {
namespace {

constexpr std::size_t kRemembered = 10'000;
constexpr std::size_t kAtOnce = 1'000;
constexpr base::Duration kSignOfLife = base::seconds(15);

void write_event(std::string& out, const engine::Event& event) {
  const store::Happening& what = event.what;
  out += "id: " + std::to_string(event.number) + "\nevent: job\ndata: ";
  base::JsonWriter json(out);
  json.begin_object();
  write_id(json, "job_id", what.job);
  json.key("queue");
  json.string(what.queue);
  json.key("type");
  json.string(what.type);
  json.key("state");
  json.string(what.profile->word(what.step.to));
  json.key("canonical_state");
  json.string(lifecycle::name(what.step.to));
  write_text(json, "from", lifecycle::name(what.step.from));
  json.key("to");
  json.string(lifecycle::name(what.step.to));
  json.key("trigger");
  json.string(lifecycle::name(what.step.trigger));
  write_time(json, "at", what.step.at);
  write_execution_id(json, "execution_id", what.job, what.step.attempt);
  write_number(json, "version", what.version);
  json.end_object();
  out += "\n\n";
}

base::Result<EventFilter> decode_event_query(std::string_view query) {
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
      filter.job = store::parse_job_id(parameter.value);
      if (!filter.job) return bad_request("job must be the id of a job", "job");
    }
  }
  return filter;
}

// What the client saw last; nullopt when it does not say. What is no number was never given.
std::optional<std::uint64_t> last_seen(const http::Request& request) {
  const auto text = request.headers.find("last-event-id");
  if (!text || text->empty()) return std::nullopt;
  std::uint64_t number = 0;
  const auto end = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool whole = end.ec == std::errc() && end.ptr == text->data() + text->size();
  return whole ? number : UINT64_MAX;
}

}  // namespace

EventStreams::EventStreams(engine::Alarm& alarm) : alarm_(alarm), ring_(kRemembered) {}

EventStreams::~EventStreams() { close(); }

template <class Keep>
void EventStreams::each(Keep keep) {
  for (auto follower = followers_.begin(); follower != followers_.end();) {
    follower = keep(*follower) ? std::next(follower) : followers_.erase(follower);
  }
  followed_ = !followers_.empty();
}

void EventStreams::happened(const std::vector<store::Happening>& happenings) {
  ring_.happened(happenings);
  // Without the lock, which is held while followers are written to.
  if (!followed_ || news_due_.exchange(true)) return;
  alarm_.after({}, [this] { send_news(); });
}

void EventStreams::send_news() {
  news_due_ = false;
  const std::lock_guard lock(mutex_);
  each([this](Follower& follower) { return send_to(follower); });
}

bool EventStreams::send_to(Follower& follower) {
  while (true) {
    const engine::EventRing::Reading reading = ring_.read(follower.seen, kAtOnce);
    std::string text;
    if (reading.missed) text += "event: resync\ndata: {}\n\n";
    for (const engine::Event& event : reading.events) {
      if (follower.filter.passes(event.what)) write_event(text, event);
      follower.seen = event.number;
    }
    if (reading.missed && reading.events.empty()) follower.seen = ring_.last();
    if (!text.empty() && !follower.responder.write(std::move(text))) return false;
    if (reading.events.size() < kAtOnce) return true;
  }
}

void EventStreams::follow(http::Responder responder, EventFilter filter,
                          std::optional<std::uint64_t> last_seen) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return responder.send(problem_answer(
        {base::Code::kShuttingDown, "the server is stopping", {}, base::seconds(1)}));
  }
  responder.begin_stream({.status = 200,
                          .content_type = "text/event-stream",
                          .body = ": events follow\n\n",
                          .fields = {{"Cache-Control", "no-store"}}});
  // Before the first look, so that what comes after it is news.
  followed_ = true;
  followers_.push_back({std::move(responder), std::move(filter), last_seen.value_or(ring_.last())});
  if (!send_to(followers_.back())) followers_.pop_back();
  if (next_sign_ == 0) next_sign_ = alarm_.after(kSignOfLife, [this] { keep_alive(); });
}

// A comment now and then: what stands between may close a connection that is quiet for long, and
// only writing tells that a client has gone.
void EventStreams::keep_alive() {
  const std::lock_guard lock(mutex_);
  each([](Follower& follower) { return follower.responder.write(":\n\n"); });
  next_sign_ = followers_.empty() ? 0 : alarm_.after(kSignOfLife, [this] { keep_alive(); });
}

void EventStreams::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  if (next_sign_ != 0) alarm_.cancel(next_sign_);
  next_sign_ = 0;
  for (const Follower& follower : followers_)
    follower.responder.end();
  followers_.clear();
  followed_ = false;
}

void follow_events(const Call& call) {
  auto filter = decode_event_query(call.request.query);
  if (!filter) return call.answer(problem_answer(filter.error()));
  const auto seen = last_seen(call.request);
  call.service.events.follow(call.responder, std::move(*filter), seen);
}

}  // namespace baton::api
