#include "client/address.h"

#include <gtest/gtest.h>

namespace baton::client {
namespace {

TEST(Address, ReadsNamesAndNumbers) {
  const Address name = parse_address("http://jobs.example").value();
  EXPECT_EQ(name.host, "jobs.example");
  EXPECT_EQ(name.port, "80");
  EXPECT_EQ(name.prefix, "");
  EXPECT_FALSE(name.secure);

  const Address four = parse_address("http://127.0.0.1:2286/").value();
  EXPECT_EQ(four.authority(), "127.0.0.1:2286");
  EXPECT_EQ(four.prefix, "");

  const Address six = parse_address("https://[::1]/baton/").value();
  EXPECT_EQ(six.host, "::1");
  EXPECT_EQ(six.authority(), "[::1]:443");
  EXPECT_EQ(six.prefix, "/baton");
  EXPECT_TRUE(six.secure);
}

TEST(Address, RefusesWhatIsNone) {
  for (const char* url :
       {"", "127.0.0.1:2286", "ftp://x", "http://", "http://:80", "http://x:", "http://x:0",
        "http://x:65536", "http://x:1x", "http://[::1", "http://[::1]80", "http://me:pw@x",
        "http://x/?a=b", "http://x y", "http://x\r\nEvil: 1", "http://[[a]", "http://a]:80"}) {
    const auto address = parse_address(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().code, Code::kBadRequest);
    EXPECT_EQ(address.error().field, "url");
  }
}

}  // namespace
}  // namespace baton::client
