#include "api/answer.h"
#include "api/decode.h"
#include "api/encode.h"
#include "api/encode_parts.h"
#include "api/handlers.h"
#include "api/page.h"

namespace baton::api {
namespace {

using base::JsonWriter;

store::Done<store::QueueView> answer_with_queue(const Call& call) {
  return [call](const base::Result<store::QueueView>& queue) {
    if (!queue) return call.answer(problem_answer(queue.error()));
    std::string body;
    JsonWriter json(body);
    write_queue(json, *queue);
    call.answer(json_answer(200, std::move(body)));
  };
}

void set_paused(const Call& call, bool paused) {
  store::QueueUpdate update;
  update.name = call.names.front();
  update.paused = paused;
  // A queue that goes on takes jobs again, too.
  if (!paused) update.draining = false;
  call.service.store.set_queue(std::move(update), answer_with_queue(call));
}

}  // namespace

void list_queues(const Call& call) {
  const auto page = decode_page_by_name(call.request.query);
  if (!page) return call.answer(problem_answer(page.error()));
  call.service.store.stats([call, page = *page](const base::Result<store::Stats>& stats) {
    if (!stats) return call.answer(problem_answer(stats.error()));
    Pager pager(page);
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    json.key("queues");
    json.begin_array();
    for (const store::QueueView& queue : stats->queues) {
      if (pager.shows(queue.name)) write_queue(json, queue);
    }
    json.end_array();
    pager.write_next_cursor(json);
    json.end_object();
    call.answer(json_answer(200, std::move(body)));
  });
}

void get_queue(const Call& call) {
  call.service.store.get_queue(call.names.front(), answer_with_queue(call));
}

void put_queue(const Call& call) {
  auto update = decode_queue(call.request.body, call.names.front());
  if (!update) return call.answer(problem_answer(update.error()));
  call.service.store.set_queue(std::move(*update), answer_with_queue(call));
}

void pause_queue(const Call& call) { set_paused(call, true); }
void resume_queue(const Call& call) { set_paused(call, false); }

void drain_queue(const Call& call) {
  store::QueueUpdate update;
  update.name = call.names.front();
  update.draining = true;
  call.service.store.set_queue(std::move(update), answer_with_queue(call));
}

void get_stats(const Call& call) {
  call.service.store.stats([call](const base::Result<store::Stats>& stats) {
    if (!stats) return call.answer(problem_answer(stats.error()));
    std::string body;
    JsonWriter json(body);
    write_stats(json, *stats, call.service.pace.read());
    call.answer(json_answer(200, std::move(body)));
  });
}

}  // namespace baton::api
