#include "format_tool.h"
#include "lifecycle/profile.h"
#include "store/work_call.h"

namespace baton::formats {
namespace {
using store::ClaimedJob;

class Maker {
 public:
  Maker(store::Store& store, base::ManualClock& clock) : store_(store), clock_(clock) {}

  Submission spec(const std::string& type, const std::string& queue = "default") const {
    Submission made;
    made.type = type;
    made.queue = queue;
    made.payload = "{\"type\":\"" + type + "\"}";
    return made;
  }

  JobId submit(const Submission& spec) {
    store::SubmitBatch batch;
    batch.jobs = {std::make_shared<const Submission>(spec)};
    const auto answer = ask<store::SubmitAnswer>(
        [&](auto done) { store_.submit(std::move(batch), std::move(done)); });
    clock_.advance(base::milliseconds(7));
    return answer.results.at(0)->id;
  }

  ClaimedJob claim(const std::string& queue = "default") {
    ClaimRequest request;
    request.queues = {queue};
    request.worker = "worker-1";
    const auto answer = ask<store::ClaimAnswer>(
        [&](auto done) { store_.claim(std::move(request), std::move(done)); });
    clock_.advance(base::milliseconds(11));
    return answer.executions.at(0);
  }

  static WorkCall call(const ClaimedJob& claimed, CallKind kind) {
    WorkCall made;
    made.call = store::blank_call(kind);
    made.execution = claimed.execution;
    made.token = claimed.facts.execution.token;
    return made;
  }

  void work(const WorkCall& call) {
    const auto answers = ask<std::vector<Result<store::CallAnswer>>>(
        [&](auto done) { store_.work({call}, std::move(done)); });
    answers.at(0).value();
    clock_.advance(base::milliseconds(13));
  }

  void ack(const ClaimedJob& claimed, const std::string& result) {
    WorkCall made = call(claimed, CallKind::kAck);
    std::get<AckCall>(made.call).result = Outcome{result, "text/plain"};
    work(made);
  }

  void nack(const ClaimedJob& claimed, FailureCategory category) {
    WorkCall made = call(claimed, CallKind::kNack);
    std::get<NackCall>(made.call).failure = {category, "E42", "it broke", "a stack"};
    work(made);
  }

  void queue(QueueUpdate update) {
    ask<Queue>([&](auto done) { store_.set_queue(std::move(update), std::move(done)); });
  }

  void queues();
  void endings();
  void waiting();
  void dependents();
  void money();
  void running();

 private:
  store::Store& store_;
  base::ManualClock& clock_;
};

void Maker::queues() {
  for (const char* name : {"document", "commit", "generation", "lease"}) {
    QueueUpdate update;
    update.name = name;
    update.profile = name;
    queue(update);
  }
  QueueUpdate full;
  full.name = "everything";
  full.retry = Retry{};
  full.retry->max_attempts = 9;
  full.retry->strategy = Strategy::kTable;
  full.retry->table = {base::seconds(1), base::minutes(1)};
  full.timeouts = Timeouts{base::seconds(90), base::seconds(20), base::days(2)};
  full.timeout_is = FailureIs::kTerminal;
  full.system_is = FailureIs::kTerminal;
  full.idempotency_window = base::hours(3);
  full.max_payload_bytes = 2 << 20;
  full.max_pending = 77;
  full.max_running = 5;
  full.rate = RateLimit{2.5, 10};
  full.keep_completed = base::days(3);
  full.keep_failed = base::days(4);
  full.paused = true;
  queue(full);
}

void Maker::endings() {
  submit(spec("completed"));
  ack(claim(), "done");
  Submission failing = spec("failed");
  failing.tags = {{"customer", "7"}, {"region", "north"}};
  failing.correlation_id = "trace 1";
  submit(failing);
  nack(claim(), FailureCategory::kPermanent);
  Submission dead = spec("dead");
  dead.retry.max_attempts = 1;
  submit(dead);
  nack(claim(), FailureCategory::kTemporary);
  const auto cancelled = submit(spec("cancelled"));
  ask<store::JobAnswer>([&](auto done) {
    store_.cancel({cancelled, false, "no longer needed"}, std::move(done));
  });
  ask<store::JobAnswer>([&](auto done) { store_.redrive({.id = cancelled}, std::move(done)); });
  ack(claim(), "the copy");
  const auto gone = submit(spec("gone"));
  ask<store::JobAnswer>([&](auto done) { store_.cancel({gone, false, ""}, std::move(done)); });
  ask<store::Deleted>([&](auto done) { store_.remove({gone}, std::move(done)); });
}

void Maker::waiting() {
  Submission delayed = spec("delayed");
  delayed.delay = base::hours(1);
  delayed.idempotency_key = "delayed 1";
  submit(delayed);
  Submission unique = spec("unique");
  unique.unique = Unique{.key = "one of it"};
  unique.delay = base::hours(2);
  submit(unique);
  Submission draft = spec("draft", "document");
  draft.draft = true;
  submit(draft);
  Submission all = spec("all");
  all.priority = Priority::kLow;
  all.retry.strategy = Strategy::kFunction;
  all.retry.function = "half";
  all.timeouts.lifetime = base::days(9);
  all.callback_url = "https://example.com/done";
  all.traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  all.content_type = "application/octet-stream";
  all.payload.assign("\0\x01\xff", 3);
  submit(all);
}

void Maker::dependents() {
  Submission parent = spec("parent", "commit");
  submit(parent);
  const ClaimedJob claimed = claim("commit");
  WorkCall spawn = call(claimed, CallKind::kAck);
  std::get<AckCall>(spawn.call).spawn = {
      std::make_shared<const Submission>(spec("child", "commit"))};
  work(spawn);
  Submission fan_in = spec("fan-in", "commit");
  fan_in.depends_on = {{DependencyType::kFanIn, {to_string(claimed.job)}, true}};
  submit(fan_in);
}

void Maker::money() {
  ask<Account>([&](auto done) {
    store_.grant({"ann", 100, Tier::kPro, "first"}, std::move(done));
  });
  Submission paid = spec("image", "generation");
  paid.account = "ann";
  paid.cost = 30;
  submit(paid);
  ack(claim("generation"), "picture");
  paid.payload = "{\"again\":true}";
  submit(paid);
  Submission rejected = paid;
  rejected.payload = "{\"bad\":true}";
  const auto id = submit(rejected);
  ask<store::JobAnswer>([&](auto done) { store_.reject({id, "not allowed"}, std::move(done)); });
}

// What is left in the middle of things.
void Maker::running() {
  submit(spec("retrying", "lease"));
  nack(claim("lease"), FailureCategory::kTemporary);
  submit(spec("running", "lease"));
  const ClaimedJob claimed = claim("lease");
  work(call(claimed, CallKind::kStart));
  WorkCall beat = call(claimed, CallKind::kHeartbeat);
  std::get<HeartbeatCall>(beat.call).progress = 40;
  std::get<HeartbeatCall>(beat.call).message = "page 4";
  std::get<HeartbeatCall>(beat.call).checkpoint = "{\"page\":4}";
  work(beat);
  WorkCall spawn = call(claimed, CallKind::kSpawn);
  std::get<SpawnCall>(spawn.call).jobs = {
      std::make_shared<const Submission>(spec("staged", "lease"))};
  work(spawn);
  submit(spec("committed", "document"));
  const ClaimedJob committed = claim("document");
  work(call(committed, CallKind::kStart));
  WorkCall commit = call(committed, CallKind::kCommit);
  std::get<CommitCall>(commit.call).result = Outcome{"{\"pages\":3}", "application/json"};
  work(commit);
}

}  // namespace

void make(store::Store& store, base::ManualClock& clock) {
  Maker maker(store, clock);
  maker.queues();
  maker.endings();
  maker.money();
  maker.dependents();
  maker.running();
  // From here on some turns are in the catalog, and the rest is in the log alone.
  ask<store::JobList>([&](auto done) { store.list({}, std::move(done)); });
  maker.waiting();
}

}  // namespace baton::formats
