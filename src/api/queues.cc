#include "api/answer.h"
#include "api/decode.h"
#include "api/encode.h"
#include "api/handlers.h"
#include "api/page.h"

namespace baton::api {
namespace {

using base::JsonWriter;

store::Done<Queue> answer_with_queue(const ApiCall& call) {
  return [call](const Result<Queue>& queue) {
    if (!queue) return call.answer(problem_answer(queue.error()));
    std::string body;
    JsonWriter json(body);
    wire::write_answer(json, *queue);
    call.answer(json_answer(200, std::move(body)));
  };
}

void set_paused(const ApiCall& call, bool paused) {
  QueueUpdate update;
  update.name = call.names.front();
  update.paused = paused;
  // A queue that goes on takes jobs again, too.
  if (!paused) update.draining = false;
  update.make = false;
  call.service.store.set_queue(std::move(update), answer_with_queue(call));
}

using WriteStats = void (*)(JsonWriter& json, const Stats& stats, const ApiCall& call);

void ask_stats(const ApiCall& call, const PageRange<std::string>& page, WriteStats write) {
  call.service.store.stats(
      {page.after.value_or(""), page.limit}, [call, write](Result<Stats> stats) {
        if (!stats) return call.answer(problem_answer(stats.error()));
        // Not on the store's thread: a page is long.
        call.answer([call, write, stats = std::make_shared<Stats>(std::move(*stats))] {
          std::string body;
          JsonWriter json(body);
          write(json, *stats, call);
          return json_answer(200, std::move(body));
        });
      });
}

}  // namespace

void list_queues(const ApiCall& call) {
  const auto page = decode_page_by_name(call.request.query);
  if (!page) return call.answer(problem_answer(page.error()));
  ask_stats(call, *page, [](JsonWriter& json, const Stats& stats, const ApiCall&) {
    json.begin_object();
    json.key("queues");
    json.begin_array();
    for (const Queue& queue : stats.queues)
      wire::write_answer(json, queue);
    json.end_array();
    write_next_cursor(json, stats.more ? stats.queues.back().name : std::string());
    json.end_object();
  });
}

void get_queue(const ApiCall& call) {
  call.service.store.get_queue(call.names.front(), answer_with_queue(call));
}

void put_queue(const ApiCall& call) {
  auto update = decode_queue(call.request.body, call.names.front());
  if (!update) return call.answer(problem_answer(update.error()));
  call.service.store.set_queue(std::move(*update), answer_with_queue(call));
}

void delete_queue(const ApiCall& call) {
  call.service.store.remove_queue(call.names.front(), answer_when_deleted(call));
}

void pause_queue(const ApiCall& call) { set_paused(call, true); }
void resume_queue(const ApiCall& call) { set_paused(call, false); }

void drain_queue(const ApiCall& call) {
  QueueUpdate update;
  update.name = call.names.front();
  update.draining = true;
  update.make = false;
  call.service.store.set_queue(std::move(update), answer_with_queue(call));
}

void get_stats(const ApiCall& call) {
  const auto page = decode_page_by_name(call.request.query);
  if (!page) return call.answer(problem_answer(page.error()));
  ask_stats(call, *page, [](JsonWriter& json, const Stats& stats, const ApiCall& its_call) {
    write_stats(json, stats, its_call.service.pace);
  });
}

}  // namespace baton::api
