// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/credentials.h"

#include <gtest/gtest.h>

namespace varve::snmp::inventory {
namespace {

// "a.version=2c a.community=x" as lines of f.
ReadCredentials read_lines(std::string_view text) {
  std::vector<CredentialLine> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view line = text.substr(0, end);
    const std::size_t equals = std::min(line.find('='), line.size());
    lines.push_back({std::string(line.substr(0, equals)),
                     std::string(equals < line.size() ? line.substr(equals + 1) : ""),
                     "f:" + std::to_string(lines.size() + 1)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return credentials_of(lines, "home");
}

std::string credential_faults(std::string_view text) {
  std::string out;
  for (const std::string& fault : read_lines(text).faults) out += (out.empty() ? "" : "; ") + fault;
  return out;
}

TEST(Credentials, are_read) {
  const auto read = read_lines(
      "lab.version=1 lab.community=x a.b.community=y core.version=3 core.user=u core.level=authPriv core.auth=SHA-256 "
      "core.auth_secret=12345678 core.priv=AES core.priv_secret=abcdefgh plain.user=v half.user=w half.auth=MD5 "
      "half.auth_secret=12345678");
  EXPECT_EQ(read.faults, std::vector<std::string>());
  ASSERT_EQ(read.credentials.size(), 5U);
  EXPECT_EQ(read.credentials.at("lab"),
            (Credential{.version = SnmpVersion::v1, .community = "x", .tenants = {"home"}}));
  EXPECT_EQ(read.credentials.at("a.b"),
            (Credential{.version = SnmpVersion::v2c, .community = "y", .tenants = {"home"}}));
  EXPECT_EQ(read.credentials.at("core"), (Credential{.version = SnmpVersion::v3,
                                                     .user = "u",
                                                     .level = SecurityLevel::auth_priv,
                                                     .auth = "SHA-256",
                                                     .auth_secret = "12345678",
                                                     .priv = "AES",
                                                     .priv_secret = "abcdefgh",
                                                     .tenants = {"home"}}));
  EXPECT_EQ(read.credentials.at("plain"), (Credential{.version = SnmpVersion::v3, .user = "v", .tenants = {"home"}}));
  EXPECT_EQ(read.credentials.at("half").level, SecurityLevel::auth_no_priv);
}

TEST(Credentials, belong_to_tenants) {
  const auto all = read_lines(
      "a.community=x b.community=x b.tenants=one,two c.community=x c.tenants=* d.community=x "
      "d.networks=10.0.0.0/8,2001:db8::/32");
  EXPECT_EQ(all.faults, std::vector<std::string>());
  const auto may = [&](const char* tenant, const char* name) {
    return find_credential(all.credentials, tenant, name) != nullptr;
  };
  EXPECT_TRUE(may("home", "a"));
  EXPECT_FALSE(may("one", "a"));
  EXPECT_TRUE(may("one", "b") && may("two", "b"));
  EXPECT_FALSE(may("home", "b"));
  EXPECT_TRUE(may("home", "c") && may("anybody", "c"));
  EXPECT_FALSE(may("home", "e"));
  const Credential& d = all.credentials.at("d");
  EXPECT_TRUE(d.may_go_to(parse_network("10.1.2.3")->address));
  EXPECT_TRUE(d.may_go_to(parse_network("2001:db8::1")->address));
  EXPECT_FALSE(d.may_go_to(parse_network("192.0.2.1")->address));
  EXPECT_TRUE(all.credentials.at("a").may_go_to(parse_network("192.0.2.1")->address));
  EXPECT_FALSE(credentials_of({}, "").credentials.contains("a"));
  const CredentialLine line{"a.community", "x", "f:1"};
  EXPECT_TRUE(credentials_of({&line, 1}, "").credentials.at("a").tenants.empty()) << "nobody's";
  EXPECT_EQ(credential_faults("a.community=x a.tenants="),
            "f:2: a.tenants: names of tenants were expected, or \"*\" for all");
  EXPECT_EQ(credential_faults("a.community=x a.networks=10.0.0.0/8,x"),
            "f:2: a.networks: networks were expected, such as 10.0.0.0/8 or 2001:db8::/32");
}

TEST(Credentials, faults_have_places_and_no_secrets) {
  EXPECT_EQ(credential_faults("lab=public"), "f:1: lab: a map was expected, such as {version: 2c, community: …}");
  EXPECT_EQ(credential_faults("lab.version=4 lab.community=x"), "f:1: lab.version: allowed is 1, 2c or 3");
  EXPECT_EQ(credential_faults("lab.version=2c"), "f:1: lab.community: it is missing, which versions 1 and 2c need");
  EXPECT_EQ(credential_faults("lab.comunity=x lab.community=y"),
            "f:1: lab.comunity: no such field; there are version, community, user, level, auth, auth_secret, priv, "
            "priv_secret, tenants, networks");
  EXPECT_EQ(credential_faults("a.user=u a.community=c"), "f:1: a.community: only versions 1 and 2c have it");
  EXPECT_EQ(credential_faults("a.version=2c a.community=c a.user=u"), "f:1: a.user: only version 3 has it");
  EXPECT_EQ(credential_faults("a.user=u a.level=authPriv a.auth=SHA a.auth_secret=hush-hush"),
            "f:1: a.priv: it is missing, which this level needs; f:1: a.priv_secret: it is missing, which this level "
            "needs");
  EXPECT_EQ(
      credential_faults("a.user=u a.auth=hush a.priv=3DES"),
      "f:2: a.auth: allowed is MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512; f:3: a.priv: allowed is DES or AES");
  EXPECT_EQ(credential_faults("a.user=u a.auth=SHA a.auth_secret=hush"),
            "f:3: a.auth_secret: a secret has 8 characters at least");
  EXPECT_EQ(credential_faults("a.version=3"), "f:1: a.user: it is missing, which version 3 needs");
  EXPECT_EQ(credential_faults("a.community="),
            "f:1: a.community: it may not be empty; f:1: a.community: it is missing, "
            "which versions 1 and 2c need");
}

}  // namespace
}  // namespace varve::snmp::inventory
