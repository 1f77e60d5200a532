#include <stop_token>

#include "api/answer.h"
#include "api/encode.h"
#include "api/handlers.h"
#include "api/job_id.h"
#include "engine/explain.h"
#include "store/show.h"

namespace baton::api {
namespace {

using base::JsonWriter;
using RecordPtr = std::shared_ptr<const store::JobRecord>;

template <class Write>
store::Done<RecordPtr> answer_with(const ApiCall& call, Write write) {
  return [call, write](const Result<RecordPtr>& record) {
    if (!record) return call.answer(problem_answer(record.error()));
    call.answer(
        [record = *record, write] {
          std::string body;
          body.reserve(kJobBytes);
          JsonWriter json(body);
          write(json, record);
          return json_answer(200, std::move(body));
        },
        shown_bytes(**record));
  };
}

void write_whole_job(JsonWriter& json, const RecordPtr& record) {
  wire::write_answer(json, store::show(record));
}

http::Response list_response(const store::JobList& list, wire::Parts included) {
  std::string body;
  JsonWriter json(body);
  json.begin_object();
  json.key("jobs");
  json.begin_array();
  for (const RecordPtr& record : list.jobs)
    wire::write_answer(json, store::show(record), {.parts = included});
  json.end_array();
  write_next_cursor(json, list.next_before_number);
  json.end_object();
  return json_answer(200, std::move(body));
}

void answer_list(const ApiCall& call, ListQuery query) {
  const wire::Parts included = query.included;
  query.filter.with = {included.payload, included.result, included.checkpoint};
  call.service.store.list(std::move(query.filter), [call, included](Result<store::JobList> list) {
    if (!list) return call.answer(problem_answer(list.error()));
    auto found = std::make_shared<const store::JobList>(std::move(*list));
    std::size_t bytes = 0;
    for (const RecordPtr& record : found->jobs)
      bytes += shown_bytes(*record) + kJobBytes;
    call.answer([found, included] { return list_response(*found, included); }, bytes);
  });
}

// One of the lists that belong to a job.
void answer_page(const ApiCall& call, void (*write)(JsonWriter&, const store::JobRecord&,
                                                    const PageRange<std::int64_t>&)) {
  const auto id = job_of(call);
  if (!id) return;
  const auto page = decode_page(call.request.query);
  if (!page) return call.answer(problem_answer(page.error()));
  call.service.store.get(
      *id, answer_with(call, [write, page = *page](JsonWriter& json, const RecordPtr& record) {
        write(json, *record, page);
      }));
}

}  // namespace

void get_job(const ApiCall& call) {
  const auto id = job_of(call);
  if (id) call.service.store.get(*id, answer_with(call, write_whole_job));
}

void list_jobs(const ApiCall& call) {
  auto query = decode_list_query(call.request.query);
  if (!query) return call.answer(problem_answer(query.error()));
  answer_list(call, std::move(*query));
}

void list_dead_letters(const ApiCall& call) {
  auto query = decode_list_query(call.request.query);
  if (!query) return call.answer(problem_answer(query.error()));
  if (query->filter.canonical_state || query->filter.state) {
    return call.answer(problem_answer(bad_request("dead letters have only one state", "state")));
  }
  query->filter.canonical_state = JobState::kDeadLetter;
  if (!query->filter.redriven) query->filter.redriven = Redriven::kNone;
  answer_list(call, std::move(*query));
}

void get_history(const ApiCall& call) { answer_page(call, write_history); }
void get_executions(const ApiCall& call) { answer_page(call, write_executions); }

void wait_for_job(const ApiCall& call) {
  const auto id = job_of(call);
  if (!id) return;
  const auto timeout = decode_wait_query(call.request.query);
  if (!timeout) return call.answer(problem_answer(timeout.error()));
  std::stop_source gone;
  call.responder.on_closed([gone]() mutable { gone.request_stop(); });
  call.service.waits.wait(*id, *timeout, answer_with(call, write_whole_job), gone.get_token());
}

void get_result(const ApiCall& call) {
  const auto id = job_of(call);
  if (!id) return;
  call.service.store.get(*id, [call](const Result<RecordPtr>& record) {
    if (!record) return call.answer(problem_answer(record.error()));
    const auto& result = (*record)->result;
    if (!result) return call.answer(problem_answer(not_found("the job has no result")));
    // A worker chose bytes and type. A browser must not run them as a page of this server.
    const auto whole = [record = *record] {
      return http::Response{.status = 200,
                            .content_type = record->result->content_type,
                            .body = record->result->bytes,
                            .fields = {{"X-Content-Type-Options", "nosniff"},
                                       {"Content-Security-Policy", "sandbox"}}};
    };
    call.answer(whole, shown_bytes(**record));
  });
}

void explain_job(const ApiCall& call) {
  const auto id = job_of(call);
  if (!id) return;
  const Service& service = call.service;
  const auto answer = [call](const Result<Explanation>& explanation) {
    if (!explanation) return call.answer(problem_answer(explanation.error()));
    std::string body;
    JsonWriter json(body);
    wire::write_answer(json, *explanation);
    call.answer(json_answer(200, std::move(body)));
  };
  engine::explain(service.store, service.workers, *id, answer);
}

}  // namespace baton::api
