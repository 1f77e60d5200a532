// A store that takes too long: submissions are answered all the same, and what became of them can
// be asked.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/eventually.h"
#include "http/testing.h"
#include "server/server.h"

namespace baton::server {
namespace {

// Holds one thread of this process, found by its name, until it is let go. The thread sits in the
// handler of a signal meanwhile, wherever it was when that came.
class HeldThread {
 public:
  explicit HeldThread(const std::string& name) {
    BATON_ASSERT(::pipe(arrived) == 0 && ::pipe(go_on) == 0);
    before_ = std::signal(SIGUSR1, hold);
    BATON_ASSERT(::syscall(SYS_tgkill, ::getpid(), thread_called(name), SIGUSR1) == 0);
    char mark = 0;
    BATON_ASSERT(::read(arrived[0], &mark, 1) == 1);
  }
  ~HeldThread() {
    let_go();
    std::signal(SIGUSR1, before_);
  }
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;

  void let_go() {
    if (gone_) return;
    gone_ = true;
    BATON_ASSERT(::write(go_on[1], "", 1) == 1);
    char mark = 0;
    BATON_ASSERT(::read(arrived[0], &mark, 1) == 1);
    for (const int end : {arrived[0], arrived[1], go_on[0], go_on[1]})
      ::close(end);
  }

 private:
  static void hold(int) {
    const int error = errno;
    char mark = 0;
    (void)!::write(arrived[1], "", 1);
    (void)!::read(go_on[0], &mark, 1);
    (void)!::write(arrived[1], "", 1);
    errno = error;
  }

  // A thread gives itself its name, so there may be none for a moment.
  static pid_t thread_called(const std::string& name) {
    pid_t thread = 0;
    EXPECT_TRUE(base::eventually([&] {
      for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string found;
        std::getline(std::ifstream(entry.path() / "comm"), found);
        if (found == name) thread = std::stoi(entry.path().filename().string());
      }
      return thread != 0;
    })) << "no thread is called "
        << name;
    return thread;
  }

  static inline int arrived[2] = {-1, -1};
  static inline int go_on[2] = {-1, -1};
  void (*before_)(int) = SIG_DFL;
  bool gone_ = false;
};

class SubmissionTimeout : public testing::Test {
 protected:
  SubmissionTimeout() {
    auto started =
        Server::start({.port = 0, .store = "memory:", .submission_limit = base::milliseconds(50)});
    BATON_ASSERT(started.ok());
    server_ = std::move(*started);
  }

  http::Reply ask(const std::string& request) {
    http::RawClient client(server_->port());
    client.send(request);
    return client.read();
  }

  static void expect_timeout(const http::Reply& reply) {
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.field("content-type"), "application/problem+json");
    EXPECT_EQ(reply.field("retry-after"), "1");
    EXPECT_EQ(reply.body, R"({"type":"about:blank","title":"Service Unavailable","status":503,)"
                          R"("detail":"the submission was not acknowledged in time; )"
                          R"(whether it was made is unknown","code":"submission_timeout"})");
  }

  std::unique_ptr<Server> server_;
};

TEST_F(SubmissionTimeout, IsTheAnswerWhenTheStoreTakesTooLong) {
  const std::string job = http::post("/v1/jobs", R"({"type":"t","idempotency_key":"k"})");
  const std::string batch =
      http::post("/v1/jobs/batch", R"({"jobs":[{"type":"t","idempotency_key":"b"},{"type":"t"}]})");
  http::RawClient client(server_->port());
  HeldThread held("baton-machine");
  client.send(job + batch + http::get("/healthz"));
  expect_timeout(client.read());
  expect_timeout(client.read());
  EXPECT_EQ(client.read().status, 200);
  held.let_go();
  // The connection goes on, and asking again with the same key tells what became of it.
  http::Reply again;
  do {
    client.send(job);
    again = client.read();
  } while (again.status == 503);  // on a slow machine the limit of this test is short
  EXPECT_EQ(again.status, 200);
  EXPECT_NE(again.body.find(R"("duplicate":true)"), std::string::npos) << again.body;
  EXPECT_NE(ask(http::get("/v1/stats")).body.find(R"("SCHEDULED":3)"), std::string::npos);
}

TEST_F(SubmissionTimeout, IsNotForOtherCallsWhichWait) {
  http::RawClient claims(server_->port());
  http::RawClient submits(server_->port());
  HeldThread held("baton-machine");
  claims.send(http::post("/v1/claims", R"({"queues":["default"],"worker":"w"})"));
  submits.send(http::post("/v1/jobs", R"({"type":"t","queue":"other"})"));
  expect_timeout(submits.read());
  held.let_go();
  const http::Reply claimed = claims.read();
  EXPECT_EQ(claimed.status, 200);
  EXPECT_EQ(claimed.body, R"({"executions":[]})");
}

}  // namespace
}  // namespace baton::server
