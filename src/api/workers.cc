#include "api/answer.h"
#include "api/handlers.h"
#include "api/page.h"
#include "wire/shapes.h"

namespace baton::api {

void list_workers(const ApiCall& call) {
  const auto page = decode_page_by_name(call.request.query);
  if (!page) return call.answer(problem_answer(page.error()));
  const engine::WorkerRegistry::Page found =
      call.service.workers.list(page->after.value_or(""), page->limit);
  std::string body;
  base::JsonWriter json(body);
  json.begin_object();
  json.key("workers");
  json.begin_array();
  for (const SeenWorker& worker : found.workers)
    wire::write_answer(json, worker);
  json.end_array();
  write_next_cursor(json, found.more ? found.workers.back().name : std::string());
  json.end_object();
  call.answer(json_answer(200, std::move(body)));
}

}  // namespace baton::api
