#include <gtest/gtest.h>

#include "engine/driven_engine.h"

namespace baton::engine {
namespace {

TEST(Open, MemoryIsForgottenWhenItIsClosed) {
  auto engine = Engine::open("memory:").value();
  const std::string id = engine->submit({.type = "t"})->id;
  EXPECT_EQ(code_of(engine->get(id)), "ok");
  engine = Engine::open("memory:").value();
  EXPECT_EQ(code_of(engine->get(id)), "not_found");
}

TEST(Open, KeepsTheTimeOfTheSystem) {
  auto engine = Engine::open("memory:").value();
  const std::string id = engine->submit({.type = "t"})->id;
  EXPECT_GT(engine->get(id)->created_at, kStart);
}

TEST(Open, RefusesWhatItDoesNotUnderstandAndSaysWhatItDoes) {
  for (const std::string url : {"", "memory", "memory:x", "file:", "disk:a", "postgres://h/d"}) {
    const auto opened = Engine::open(url);
    EXPECT_EQ(code_of(opened), "bad_request") << url;
    EXPECT_EQ(opened.error().message,
              "\"" + url + "\" names no store; understood are \"memory:\" and \"file:DIR\"");
    EXPECT_EQ(opened.error().field, "url");
  }
}

}  // namespace
}  // namespace baton::engine
