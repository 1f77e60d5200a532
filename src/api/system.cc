#include "api/answer.h"
#include "api/handlers.h"
#include "api/openapi.h"
#include "base/json_writer.h"
#include "lifecycle/describe.h"

namespace baton::api {
namespace {

constexpr std::string_view kStatusPage =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<meta charset=\"utf-8\">\n"
    "<title>Baton</title>\n"
    "<style>body{font:16px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:40rem}"
    "table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}"
    "td:first-child,th:first-child{text-align:left}</style>\n"
    "<h1>Baton</h1>\n"
    "<p>The server is up. Its calls are described in <a href=\"/openapi.json\">/openapi.json</a>; "
    "the counts below are those of <a href=\"/v1/stats\">/v1/stats</a>.</p>\n"
    "<table id=\"queues\"></table>\n"
    "<script>\n"
    "fetch('/v1/stats').then(answer => answer.json()).then(stats => {\n"
    "  const states = Object.keys(stats.counts);\n"
    "  const table = document.getElementById('queues');\n"
    "  const row = (cells, kind) => {\n"
    "    const line = table.insertRow();\n"
    "    for (const text of cells) {\n"
    "      const cell = document.createElement(kind);\n"
    "      cell.textContent = text;\n"
    "      line.append(cell);\n"
    "    }\n"
    "  };\n"
    "  row(['queue', ...states.map(state => state.toLowerCase())], 'th');\n"
    "  for (const queue of stats.queues)\n"
    "    row([queue.name, ...states.map(state => queue.counts[state])], 'td');\n"
    "});\n"
    "</script>\n";

http::Response state_answer(int status, std::string_view word) {
  std::string body;
  base::JsonWriter json(body);
  json.begin_object();
  json.key("status");
  json.string(word);
  json.end_object();
  return json_answer(status, std::move(body));
}

}  // namespace

void get_profiles(const ApiCall& call) {
  std::string body;
  lifecycle::describe_json(body);
  call.answer(json_answer(200, std::move(body)));
}

void healthz(const ApiCall& call) { call.answer(state_answer(200, "ok")); }

// Ready to take work: the store answers, and the server is not about to stop.
void readyz(const ApiCall& call) {
  if (!call.service.ready()) {
    return call.answer(
        problem_answer({Code::kShuttingDown, "the server is stopping", {}, base::seconds(1)}));
  }
  call.service.store.stats({.limit = 0}, [call](const Result<Stats>& stats) {
    call.answer(stats ? state_answer(200, "ready") : problem_answer(stats.error()));
  });
}

void get_openapi(const ApiCall& call) {
  call.answer(json_answer(200, std::string(openapi_json())));
}

void status_page(const ApiCall& call) {
  call.answer({.status = 200,
               .content_type = "text/html; charset=utf-8",
               .body = std::string(kStatusPage),
               // Nobody may lay it into a page of theirs and have a person click there.
               .fields = {{"Content-Security-Policy", "frame-ancestors 'none'"}}});
}

}  // namespace baton::api
