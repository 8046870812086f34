// SPDX-License-Identifier: Apache-2.0
#include "migrate/source_address.h"

#include <gtest/gtest.h>

namespace varve::migrate {
namespace {

// "hosts keyspace name=value …", or "!" and the beginning of what is wrong.
std::string parsed(std::string_view text) {
  const auto got = parse_source(text);
  if (!got) return "!" + got.error().message;
  std::string out = got->contact_points + " " + got->keyspace;
  if (got->datacenter) out += " dc=" + *got->datacenter;
  if (got->username) out += " user=" + *got->username;
  if (got->password_file) out += " file=" + *got->password_file;
  if (got->tls) out += *got->tls ? " tls" : " plain";
  return got->strings == Strings::snappy ? out + " snappy" : out;
}

TEST(SourceAddress, Parse) {
  EXPECT_EQ(parsed("cassandra://db1:9042/kairosdb"), "db1:9042 kairosdb");
  EXPECT_EQ(parsed("cassandra://db1,db2:9043/Kairos_1"), "db1,db2:9043 kairos_1");
  EXPECT_EQ(parsed("cassandra://[::1]:9042/k"), "[::1]:9042 k");
  EXPECT_EQ(parsed("cassandra://h/k?"), "h k");
  EXPECT_EQ(parsed("cassandra://h/k?datacenter=dc1&username=u&password_file=/etc/pw&tls=true&strings=snappy"),
            "h k dc=dc1 user=u file=/etc/pw tls snappy");
  EXPECT_EQ(parsed("cassandra://h/k?tls=false&datacenter="), "h k dc= plain");
}

TEST(SourceAddress, Faults) {
  for (const auto* bad :
       {"", "db1:9042/k", "http://h/k", "cassandra://", "cassandra://h", "cassandra://h/", "cassandra:///k",
        "cassandra://h/a-b", "cassandra://h/a/b", "cassandra://u:p@h/k", "cassandra://h/k?tls=yes",
        "cassandra://h/k?password=x", "cassandra://h/k?tls", "cassandra://h/k?&&", "cassandra://h/k?strings=zip"}) {
    EXPECT_TRUE(parsed(bad).starts_with("!")) << bad;
  }
}

}  // namespace
}  // namespace varve::migrate
