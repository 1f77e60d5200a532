// A worker for jobs of the type "greet", on a server: BATON_URL, or the default address.
#include <baton/client.h>
#include <baton/worker.h>

#include <csignal>
#include <cstdlib>
#include <iostream>

std::string greet(baton::Context& job) {
  if (job.payload() == "null") throw baton::PermanentError("whom shall I greet?", "no_name");
  std::cout << "hello " << job.payload() << '\n' << std::flush;
  return R"({"greeted":true})";
}

int main() {
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);

  const char* url = std::getenv("BATON_URL");
  auto client = baton::Client::open({.url = url ? url : "http://127.0.0.1:2286"}).value();
  baton::Worker worker(*client, {.concurrency = 4});
  worker.on("greet", greet);
  worker.start().value();

  int signal = 0;
  sigwait(&stop, &signal);
  worker.drain();  // claims nothing more, finishes and reports what runs
}
