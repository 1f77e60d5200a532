#include "api/answer.h"
#include "api/decode.h"
#include "api/encode.h"
#include "api/handlers.h"
#include "api/job_id.h"
#include "api/prefer.h"
#include "api/shown_jobs.h"
#include "api/submission_clock.h"
#include "store/show.h"

namespace baton::api {
namespace {

using base::JsonWriter;
using RecordPtr = std::shared_ptr<const store::JobRecord>;

// What submit, cancel, reject, retry and PATCH answer with: the job, which is read once the change
// is made.
store::Done<store::JobAnswer> answer_with_job(const ApiCall& call, int status) {
  return [call, status](const Result<store::JobAnswer>& answer) {
    if (!answer) return call.answer(problem_answer(answer.error()));
    call.service.store.get(answer->id, [call, status](const Result<RecordPtr>& record) {
      if (!record) return call.answer(problem_answer(record.error()));
      call.answer([record = *record,
                   status] { return json_answer(status, wrapped_job(store::show(record))); },
                  shown_bytes(**record));
    });
  };
}

// Whether the answer of a submission tells all there is to know of a job, so that none has to be
// read: it is new, did not end at once, and names no other job by a reference that the store
// resolved.
bool tells_all(const store::MadeJob& made, const Submission& spec) {
  if (made.duplicate || is_terminal(made.facts.state)) return false;
  for (const Dependency& dependency : spec.depends_on) {
    for (const std::string& id : dependency.jobs) {
      if (id.starts_with('#')) return false;
    }
  }
  return true;
}

// The results of a batch, on their way to JSON: jobs that must be read are read first.
struct BatchAnswer {
  std::shared_ptr<PendingSubmission> pending;
  std::vector<SubmissionPtr> specs;
  store::SubmitAnswer answer;
  std::shared_ptr<ShownJobs> read;  // where the answer does not tell all
  int status = 201;
  bool chain = false;
  bool minimal = false;  // of each job only what identifies it and where it stands
};

void write_minimal(JsonWriter& json, const store::MadeJob& made) {
  const lifecycle::JobFacts& facts = made.facts;
  json.begin_object();
  json.member("id", to_string(made.id));
  json.member("state", facts.terms->profile->word(facts.state));
  json.member("canonical_state", name(facts.state));
  json.member("version", facts.version);
  json.end_object();
}

// What an answer says beside the job.
void write_duplicate(JsonWriter& json, const store::MadeJob& made) {
  json.member("duplicate", made.duplicate);
  json.key("payload_differs");
  made.payload_differs ? json.boolean(*made.payload_differs) : json.null();
}

void write_made(JsonWriter& json, const BatchAnswer& batch, std::size_t i, bool brief) {
  const Result<store::MadeJob>& made = batch.answer.results[i];
  json.begin_object();
  if (!made) {
    json.key("error");
    write_problem(json, made.error());
  } else {
    json.key("job");
    if (batch.minimal) {
      write_minimal(json, *made);
    } else if (const std::string& read = batch.read->at(i); !read.empty()) {
      json.raw(read);
    } else {
      wire::write_answer(json, store::show(*made, batch.specs[i]),
                         {.parts = wire::kNoParts, .brief = brief});
    }
    write_duplicate(json, *made);
  }
  json.end_object();
}

http::Response batch_response(const BatchAnswer& batch) {
  std::string body;
  body.reserve(batch.answer.results.size() * kJobBytes);
  JsonWriter json(body);
  json.begin_object();
  json.key("results");
  json.begin_array();
  for (std::size_t i = 0; i < batch.answer.results.size(); ++i)
    write_made(json, batch, i, body.size() + batch.read->bytes() > kWholeJobsBytes);
  json.end_array();
  json.end_object();
  http::Response response = json_answer(batch.status, std::move(body));
  return batch.minimal ? with_minimal_applied(std::move(response)) : response;
}

// Reads what the answer does not tell, and sends when the last of it is there.
void complete_batch(store::Store& store, const std::shared_ptr<BatchAnswer>& batch) {
  batch->read = std::make_shared<ShownJobs>(store, kWholeJobsBytes);
  for (std::size_t i = 0; i < batch->answer.results.size(); ++i) {
    const auto& made = batch->answer.results[i];
    const bool resolved = batch->chain && i > 0;
    if (made && !batch->minimal && (resolved || !tells_all(*made, *batch->specs[i])))
      batch->read->want(i, made->id, batch->specs[i]->ref);
  }
  batch->read->read(
      [batch] { batch->pending->answer([batch] { return batch_response(*batch); }); });
}

// "jobs[3].type": the fault is in job 3, and its field is "type".
std::optional<std::size_t> take_index(Error& error) {
  constexpr std::string_view kPrefix = "jobs[";
  if (!error.field.starts_with(kPrefix)) return std::nullopt;
  const std::size_t close = error.field.find(']');
  const std::size_t index = std::stoul(error.field.substr(kPrefix.size(), close - kPrefix.size()));
  error.field = close + 1 == error.field.size() ? "jobs" : error.field.substr(close + 2);
  return index;
}

http::Response batch_problem(Error error) {
  const auto index = take_index(error);
  return index ? problem_answer(error, *index) : problem_answer(error);
}

template <class WriteJob>
http::Response made_answer(const store::MadeJob& made, WriteJob write_job) {
  std::string body;
  body.reserve(kJobBytes);
  JsonWriter json(body);
  json.begin_object();
  json.key("job");
  write_job(json);
  write_duplicate(json, made);
  json.end_object();
  return json_answer(made.duplicate ? 200 : 201, std::move(body));
}

http::Response created_answer(const Job& job, const store::MadeJob& made) {
  return made_answer(made, [&](JsonWriter& json) { wire::write_answer(json, job); });
}

http::Response minimal_answer(const store::MadeJob& made) {
  return with_minimal_applied(
      made_answer(made, [&](JsonWriter& json) { write_minimal(json, made); }));
}

}  // namespace

void create_job(const ApiCall& call) {
  auto job = decode_submission(call.request.body);
  if (!job) return call.answer(problem_answer(job.error()));
  const auto pending = call.service.submissions.begin(call.responder);
  store::Store& store = call.service.store;
  SubmissionPtr spec = std::move(*job);
  const bool minimal = prefers_minimal(call.request);
  store.submit(
      {.jobs = {spec}}, [pending, spec, minimal, &store](Result<store::SubmitAnswer> answer) {
        if (!answer) return pending->answer(problem_answer(answer.error()));
        if (answer->refused) return pending->answer(problem_answer(answer->refused->error));
        store::MadeJob made = std::move(*answer->results.front());
        if (minimal) return pending->answer(minimal_answer(made));
        if (tells_all(made, *spec)) {
          return pending->answer([made = std::move(made),
                                  spec] { return created_answer(store::show(made, spec), made); },
                                 spec->payload.size());
        }
        const JobId id = made.id;
        store.get(id, [pending, made = std::move(made)](const Result<RecordPtr>& record) {
          if (!record) return pending->answer(problem_answer(record.error()));
          pending->answer(
              [record = *record, made] { return created_answer(store::show(record), made); },
              shown_bytes(**record));
        });
      });
}

void create_batch(const ApiCall& call) {
  auto decoded = decode_batch(call.request.body);
  if (!decoded) return call.answer(batch_problem(decoded.error()));
  auto batch = std::make_shared<BatchAnswer>();
  batch->pending = call.service.submissions.begin(call.responder);
  batch->specs = decoded->jobs;
  batch->chain = decoded->chain;
  batch->minimal = prefers_minimal(call.request);
  if (!decoded->atomic) batch->status = 200;
  store::Store& store = call.service.store;
  store.submit(std::move(*decoded), [batch, &store](Result<store::SubmitAnswer> answer) {
    if (!answer) return batch->pending->answer(problem_answer(answer.error()));
    if (answer->refused) {
      return batch->pending->answer(problem_answer(answer->refused->error, answer->refused->index));
    }
    batch->answer = std::move(*answer);
    complete_batch(store, batch);
  });
}

void patch_job(const ApiCall& call) {
  const auto id = job_of(call);
  if (!id) return;
  auto patch = wire::read_request<PatchJob>(call.request.body, {.id = *id});
  if (!patch) return call.answer(problem_answer(patch.error()));
  call.service.store.patch(std::move(*patch), answer_with_job(call, 200));
}

void submit_draft(const ApiCall& call) {
  const auto id = job_of(call);
  if (id) call.service.store.submit_draft({*id}, answer_with_job(call, 200));
}

void cancel_job(const ApiCall& call) {
  const auto id = job_of(call);
  if (!id) return;
  auto cancel = decode_if_any<CancelJob>(call.request.body, {.id = *id});
  if (!cancel) return call.answer(problem_answer(cancel.error()));
  call.service.store.cancel(std::move(*cancel), answer_with_job(call, 200));
}

void reject_job(const ApiCall& call) {
  const auto id = job_of(call);
  if (!id) return;
  auto reject = decode_if_any<RejectJob>(call.request.body, {.id = *id});
  if (!reject) return call.answer(problem_answer(reject.error()));
  call.service.store.reject(std::move(*reject), answer_with_job(call, 200));
}

void retry_job(const ApiCall& call) {
  const auto id = job_of(call);
  if (!id) return;
  auto redrive = decode_if_any<RedriveJob>(call.request.body, {.id = *id});
  if (!redrive) return call.answer(problem_answer(redrive.error()));
  call.service.store.redrive(*redrive, answer_with_job(call, 201));
}

store::Done<store::Deleted> answer_when_deleted(const ApiCall& call) {
  return [call](const Result<store::Deleted>& deleted) {
    call.answer(deleted ? http::Response{.status = 204} : problem_answer(deleted.error()));
  };
}

void delete_job(const ApiCall& call) {
  const auto id = job_of(call);
  if (!id) return;
  call.service.store.remove({*id}, answer_when_deleted(call));
}

}  // namespace baton::api
