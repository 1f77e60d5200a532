// Runs a test on every JobService: an engine in memory, an engine on a directory, and a client of a
// server in the same process. Each test has one of its own, with the real clock.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/temporary_directory.h"
#include "baton/client.h"
#include "baton/engine.h"
#include "server/server.h"
#include "store/work_call.h"

namespace baton {

using namespace std::chrono_literals;  // NOLINT: tests read better with it

class JobServiceTest : public testing::TestWithParam<std::string> {
 protected:
  JobServiceTest() {
    if (GetParam() == "client") {
      server_ = server::Server::start({.port = 0, .store = "memory:"}).value();
      service_ =
          Client::open({.url = "http://127.0.0.1:" + std::to_string(server_->port())}).value();
    } else {
      service_ =
          Engine::open(GetParam() == "memory" ? "memory:" : "file:" + directory_.path() + "/s")
              .value();
    }
  }

  JobService& service() { return *service_; }
  // What the HTTP interface does not show: docs/client.md.
  bool over_http() const { return GetParam() == "client"; }
  void close() { service_.reset(); }

  // The one job that waits.
  Claimed claim(const std::string& queue = "default") {
    auto claimed = service().claim({.queues = {queue}, .worker = "w1"}).get().value();
    if (claimed.size() != 1) throw std::runtime_error("there was no job to claim");
    return std::move(claimed.front());
  }
  Result<WorkAnswer> work(WorkCall call) {
    return std::move(service().work({std::move(call)}).get().value().at(0));
  }
  static WorkCall call_of(CallKind kind, const Claimed& claimed) {
    return {
        .execution = claimed.execution, .token = claimed.token, .call = store::blank_call(kind)};
  }
  static ClaimRequest claim_of(Duration wait = 0s) {
    return {.queues = {"default"}, .worker = "w1", .wait = wait};
  }
  // Runs the one job that waits to its end.
  void complete(const std::string& result = "{}") {
    WorkCall ack = call_of(CallKind::kAck, claim());
    std::get<AckCall>(ack.call).result = Outcome{.bytes = result};
    work(std::move(ack)).value();
  }

 private:
  base::TemporaryDirectory directory_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<JobService> service_;
};

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "ok" : std::string(name(result.error().code));
}

inline const JobId kNobody = parse_job_id("00000000-0000-4000-8000-000000000000").value();

// NOLINTNEXTLINE(bugprone-macro-parentheses): the name of a suite
#define BATON_ON_EVERY_SERVICE(Suite)                                              \
  INSTANTIATE_TEST_SUITE_P(On, Suite, testing::Values("memory", "file", "client"), \
                           [](const auto& one) { return one.param; })

}  // namespace baton
