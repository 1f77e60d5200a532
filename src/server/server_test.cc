#include "server/server.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "base/temporary_directory.h"
#include "http/testing.h"

namespace baton::server {
namespace {

const std::string kSubmission = R"({"type":"t"})";

TEST(ServerStart, ListensOnLoopback) {
  for (const std::string host : {"127.0.0.1", "localhost", "127.0.0.2"}) {
    auto server = Server::start({.host = host, .port = 0, .store = "memory:"});
    ASSERT_TRUE(server.ok()) << host << ": " << server.error().message;
    EXPECT_NE((*server)->port(), 0) << host;
  }
}

TEST(ServerStart, RefusesEveryOtherAddressBeforeItTouchesTheStore) {
  const base::TemporaryDirectory directory;
  for (const std::string host : {"0.0.0.0", "::", "192.168.0.1", "127.0.0.1.example.com", ""}) {
    const auto server =
        Server::start({.host = host, .port = 0, .store = "file:" + directory.path() + "/data"});
    ASSERT_FALSE(server.ok()) << host;
    EXPECT_EQ(server.error().code, Code::kBadRequest) << host;
    EXPECT_EQ(server.error().field, "listen") << host;
    EXPECT_NE(server.error().message.find("loopback"), std::string::npos) << host;
  }
  EXPECT_FALSE(std::filesystem::exists(directory.path() + "/data"));
}

TEST(ServerStart, RefusesWhatNamesNoStore) {
  for (const std::string store :
       {"", "memory", "memory:x", "file:", "files:/tmp", "postgres://x/y", "/tmp", "FILE:/tmp"}) {
    const auto server = Server::start({.port = 0, .store = store});
    ASSERT_FALSE(server.ok()) << store;
    EXPECT_EQ(server.error().code, Code::kBadRequest) << store;
    EXPECT_EQ(server.error().field, "store") << store;
    EXPECT_NE(server.error().message.find("\"" + store + "\""), std::string::npos) << store;
  }
}

TEST(ServerStart, SaysWhyADirectoryCannotBeUsed) {
  const base::TemporaryDirectory directory;
  const std::string file = directory.path() + "/file";
  std::ofstream(file) << "not a directory";
  for (const std::string& path : {file, file + "/below"}) {
    const auto server = Server::start({.port = 0, .store = "file:" + path});
    ASSERT_FALSE(server.ok()) << path;
    EXPECT_EQ(server.error().code, Code::kStoreUnavailable) << path;
    EXPECT_NE(server.error().message.find(file), std::string::npos) << server.error().message;
  }
}

TEST(ServerStart, RefusesADirectoryOrAnAddressThatIsTaken) {
  const base::TemporaryDirectory directory;
  const std::string store = "file:" + directory.path() + "/data";
  const auto first = Server::start({.port = 0, .store = store});
  ASSERT_TRUE(first.ok());
  const auto same_directory = Server::start({.port = 0, .store = store});
  ASSERT_FALSE(same_directory.ok());
  EXPECT_EQ(same_directory.error().code, Code::kConflict);
  const auto same_address = Server::start({.port = (*first)->port(), .store = "memory:"});
  ASSERT_FALSE(same_address.ok());
  EXPECT_EQ(same_address.error().code, Code::kConflict);
}

TEST(ServerStart, RefusesACertificateThatIsNone) {
  const auto server = Server::start(
      {.port = 0, .store = "memory:", .certificate_file = "/nowhere", .key_file = "/nowhere"});
  ASSERT_FALSE(server.ok());
  EXPECT_EQ(server.error().code, Code::kBadRequest);
}

TEST(ServerWait, EndsWhenItIsToldToStop) {
  const auto server = Server::start({.port = 0, .store = "memory:"});
  ASSERT_TRUE(server.ok());
  std::thread stopping([&] { (*server)->stop(); });
  EXPECT_TRUE((*server)->wait().ok());
  stopping.join();
  EXPECT_TRUE((*server)->wait().ok());
  EXPECT_TRUE((*server)->drain(base::seconds(20)));
}

// While it lives, no file of this process grows beyond its first block, as on a full disk.
class FilesDoNotGrow {
 public:
  FilesDoNotGrow() : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    BATON_ASSERT(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    const rlimit one_block{4096, before_.rlim_max};
    BATON_ASSERT(::setrlimit(RLIMIT_FSIZE, &one_block) == 0);
  }
  ~FilesDoNotGrow() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FilesDoNotGrow(const FilesDoNotGrow&) = delete;
  FilesDoNotGrow& operator=(const FilesDoNotGrow&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST(ServerWait, ReportsAStoreThatFailed) {
  const base::TemporaryDirectory directory;
  const auto server = Server::start({.port = 0, .store = "file:" + directory.path() + "/data"});
  ASSERT_TRUE(server.ok());
  http::RawClient client((*server)->port());
  client.send(http::post("/v1/jobs", kSubmission));
  EXPECT_EQ(client.read().status, 201);
  http::Reply refused;
  Status ended = Ok{};
  {
    const FilesDoNotGrow limit;
    client.send(http::post("/v1/jobs", kSubmission));
    refused = client.read();
    ended = (*server)->wait();
  }
  EXPECT_EQ(refused.status, 503);
  EXPECT_NE(refused.body.find("\"store_unavailable\""), std::string::npos) << refused.body;
  ASSERT_FALSE(ended.ok());
  EXPECT_EQ(ended.error().code, Code::kStoreUnavailable);
  EXPECT_NE(ended.error().message.find(directory.path()), std::string::npos);
  // The disk is well again, and yet nothing is taken: only opening the store anew is a way back.
  client.send(http::post("/v1/jobs", kSubmission) + http::get("/readyz") + http::get("/healthz"));
  for (const int status : {503, 503, 200})
    EXPECT_EQ(client.read().status, status);
}

}  // namespace
}  // namespace baton::server
