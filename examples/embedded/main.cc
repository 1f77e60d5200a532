// Three reports of ten pages each, written page by page. Kill the program at any moment and start
// it again with the same directory: every report goes on after its last finished page.
#include <baton/engine.h>
#include <baton/worker.h>

#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

std::string write_report(baton::Context& job) {
  const std::string finished = job.checkpoint();  // what an earlier attempt left, or nothing
  for (int page = finished.empty() ? 1 : std::stoi(finished) + 1; page <= 10; ++page) {
    job.throw_if_cancelled();
    std::this_thread::sleep_for(100ms);  // here the page would be written
    job.save_checkpoint(std::to_string(page)).value();
    job.progress(page * 10);
    std::cout << job.payload() + ": page " + std::to_string(page) + "\n" << std::flush;
  }
  return R"({"pages":10})";
}

int main(int argc, char** argv) {
  auto opened = baton::Engine::open(std::string("file:") + (argc > 1 ? argv[1] : "reports"));
  if (!opened) {
    std::cerr << to_string(opened.error()) << '\n';
    return 1;
  }
  baton::Engine& engine = **opened;

  std::vector<baton::JobId> ids;
  for (const std::string name : {"north", "south", "west"}) {
    // With the same key, the second run finds the jobs of the first instead of making new ones.
    const auto made = engine
                          .submit({.type = "report",
                                   .payload = name,
                                   .content_type = "text/plain",
                                   .idempotency_key = name,
                                   .timeouts = {.lease = 2s}})
                          .get();
    ids.push_back(made->id);
    std::cout << name << (made->duplicate ? " goes on\n" : " begins\n") << std::flush;
  }

  baton::Worker worker(engine, {.concurrency = 3});
  worker.on("report", write_report);
  worker.start().value();
  for (const baton::JobId& id : ids) {
    const baton::Job job = engine.wait(id, 1min).get()->job;
    std::cout << job.spec->payload << ": " << job.state << " at attempt " << job.attempt << '\n';
  }
  worker.drain();
}
