// The code of docs/embedding.md, in its order. A test compares the two, and runs this.
#include <baton/engine.h>
#include <baton/worker.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <string>
#include <thread>

using namespace std::chrono_literals;

namespace {

void expect(bool holds, const char* what) {
  if (holds) return;
  std::cerr << "guide: " << what << '\n';
  std::exit(1);
}

// What the handlers below stand for.
int mails_sent = 0;
void send_mail(const std::string&) { ++mails_sent; }
int pages_rendered = 0;
void render(int) { ++pages_rendered; }
bool server_is_busy(int attempt) { return attempt == 1; }

void submitting(baton::Engine& engine) {
  const baton::Submission mail{
      .type = "mail",
      .payload = R"({"to":"ada@example.org"})",
      .delay = 50ms,
      .idempotency_key = "welcome-ada",
      .retry = {.max_attempts = 5, .initial = 10ms},
      .timeouts = {.execution = 1min, .lease = 10s},
      .tags = {{"customer", "ada"}},
  };
  baton::Result<baton::Submitted> made = engine.submit(mail).get();
  if (!made) {
    std::cerr << to_string(made.error()) << '\n';
  }
  expect(made.ok(), "a job is made");
  expect(engine.submit({.type = "mail", .idempotency_key = "welcome-ada"}).get()->duplicate,
         "a key makes one job");
}

void batches(baton::Engine& engine) {
  const baton::Batch batch{.jobs = {{.type = "extract", .ref = "first"},
                                    {.type = "load", .depends_on = {{.jobs = {"#first"}}}}}};
  auto jobs = engine.submit_batch(batch).get();
  expect(jobs->at(1)->canonical_state == baton::JobState::kPending, "the second waits");
}

void handlers(baton::Worker& worker) {
  worker.on("mail", [](baton::Context& job) { send_mail(job.payload()); });

  worker.on("render", [](baton::Context& job) {
    const std::string kept = job.checkpoint();
    for (int page = kept.empty() ? 1 : std::stoi(kept) + 1; page <= 3; ++page) {
      job.throw_if_cancelled();
      render(page);
      job.progress(page * 100 / 3, "page " + std::to_string(page));
      job.save_checkpoint(std::to_string(page)).value();
    }
    return baton::Outcome{.bytes = "3 pages", .content_type = "text/plain"};
  });

  worker.on("charge", [](baton::Context& job) {
    if (job.payload().empty()) throw baton::PermanentError("no amount", "no_amount");
    if (server_is_busy(job.attempt())) throw baton::TemporaryError("the bank is busy", 10ms);
    job.spawn({.type = "mail", .payload = "receipt"});
    return R"({"charged":true})";
  });
  worker.on("sum", [](baton::Context& job) {
    std::string parts;
    for (const baton::DependencyResult& one : job.dependency_results()) {
      if (one.result) parts += one.result->bytes;
    }
    return parts;
  });
}

void waiting(baton::Engine& engine, const baton::JobId& id) {
  const auto [job, timed_out] = engine.wait(id, 30s).get().value();
  if (timed_out) {
    std::cout << "it still is " << job.state << '\n';
  } else if (job.canonical_state == baton::JobState::kCompleted && job.result) {
    std::cout << job.result->bytes << '\n';
  } else if (job.last_error) {
    std::cout << job.state << ": " << job.last_error->message << '\n';
  }
}

void completions(baton::Engine& engine) {
  auto done = std::make_shared<std::promise<std::string>>();
  engine.submit({.type = "mail"}).then([done](baton::Result<baton::Submitted> made) {
    done->set_value(made ? to_string(made->id) : to_string(made.error()));
  });
  expect(!done->get_future().get().empty(), "a completion is called");
}

void queues(baton::Engine& engine) {
  engine.set_queue({.name = "mail", .profile = "lease", .max_running = 10}).get().value();
  engine.set_queue({.name = "mail", .paused = true}).get().value();
  expect(engine.get_queue("mail").get()->settings.paused, "a queue is paused");
}

void own_loop(baton::Engine& engine) {
  engine.submit({.type = "t", .queue = "own"}).get().value();
  auto claimed = engine.claim({.queues = {"own"}, .worker = "my-loop", .wait = 1s}).get().value();
  for (const baton::Claimed& one : claimed) {
    const baton::WorkCall ack{.execution = one.execution,
                              .token = one.token,
                              .call = baton::AckCall{.result = baton::Outcome{.bytes = "42"}}};
    auto answers = engine.work({ack}).get();
    expect(answers->at(0).ok(), "a call is answered");
  }
  expect(claimed.size() == 1, "a claim gives the job");
}

}  // namespace

int main() {
  std::unique_ptr<baton::Engine> engine = baton::Engine::open("memory:").value();
  submitting(*engine);
  batches(*engine);
  completions(*engine);
  queues(*engine);
  own_loop(*engine);

  baton::Worker worker(*engine, {.queues = {"urgent", "default"}, .concurrency = 4});
  handlers(worker);
  worker.start().value();

  const baton::JobId charge = engine->submit({.type = "charge", .payload = "7"}).get()->id;
  const baton::JobId report = engine->submit({.type = "render"}).get()->id;
  const baton::JobId broken = engine->submit({.type = "charge"}).get()->id;
  waiting(*engine, charge);
  waiting(*engine, report);
  waiting(*engine, broken);
  expect(engine->get(charge).get()->attempt == 2, "a busy bank is asked again");
  expect(engine->get(charge).get()->children.size() == 1, "a receipt is sent");
  expect(engine->get(broken).get()->state == "FAILED", "no amount is no use");
  expect(pages_rendered == 3, "every page is rendered");

  if (!worker.stop(10s)) std::cerr << "some jobs were given back\n";
  expect(worker.stats().dropped == 0, "nothing was dropped");
}
