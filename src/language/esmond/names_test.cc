// SPDX-License-Identifier: Apache-2.0
#include "language/esmond/names.h"

#include <gtest/gtest.h>

#include <vector>

namespace varve::language::esmond {
namespace {

TEST(EsmondNames, EncodedAndDecoded) {
  const std::pair<const char*, const char*> cases[] = {
      {"xe-0/0/0", "xe-0@2F0@2F0"},
      {"lag-1, 10Gig", "lag-1@2C@2010Gig"},
      {"a@b", "a@40b"},
      {"rtr_a.example", "rtr_a.example"},
      {"XYZ", "X@59Z"},
      {"é", "@C3@A9"},
      {"", ""},
  };
  for (const auto& [name, encoded] : cases) {
    EXPECT_EQ(at_encode(name), encoded);
    EXPECT_EQ(at_decode(encoded), name);
  }
  EXPECT_EQ(at_decode("xe-0@2f0@2F0"), "xe-0/0/0");
  EXPECT_EQ(at_decode("a@"), "a@");
  EXPECT_EQ(at_decode("a@2"), "a@2");
  EXPECT_EQ(at_decode("@zz@2F"), "@zz/");
  EXPECT_EQ(at_decode("plainY"), "plainY");
}

TEST(EsmondNames, EveryByteComesBack) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_EQ(at_decode(at_encode(all)), all);
}

TEST(EsmondNames, Lists) {
  const std::vector<std::string> names = {"snmp", "a/b", "Y"};
  EXPECT_EQ(at_encode(names), "snmp/a@2Fb/@59");
}

}  // namespace
}  // namespace varve::language::esmond
