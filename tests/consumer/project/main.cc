#include <baton/engine.h>
#include <baton/worker.h>

#include <chrono>
#include <iostream>

int main() {
  auto engine = baton::Engine::open("memory:").value();
  const baton::JobId id = engine->submit({.type = "greet", .payload = "world"}).get()->id;

  baton::Worker worker(*engine);
  worker.on("greet", [](baton::Context& job) { return "\"hello " + job.payload() + "\""; });
  worker.start().value();

  const baton::Job job = engine->wait(id, std::chrono::minutes(1)).get()->job;
  worker.drain();
  std::cout << job.state << ' ' << job.result->bytes << '\n';
}
