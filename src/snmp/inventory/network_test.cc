// SPDX-License-Identifier: Apache-2.0
#include "snmp/inventory/network.h"

#include <gtest/gtest.h>

namespace varve::snmp::inventory {
namespace {

bool is_in(const std::string& network, const std::string& address) {
  return parse_network(network).value().contains(parse_network(address).value().address);
}

TEST(Network, contains_addresses) {
  EXPECT_TRUE(is_in("10.0.0.0/8", "10.255.1.2"));
  EXPECT_FALSE(is_in("10.0.0.0/8", "11.0.0.0"));
  EXPECT_TRUE(is_in("10.9.9.9/8", "10.1.1.1"));
  EXPECT_TRUE(is_in("192.168.4.0/22", "192.168.7.255"));
  EXPECT_FALSE(is_in("192.168.4.0/22", "192.168.8.0"));
  EXPECT_TRUE(is_in("10.0.0.1", "10.0.0.1"));
  EXPECT_FALSE(is_in("10.0.0.1", "10.0.0.2"));
  EXPECT_TRUE(is_in("0.0.0.0/0", "203.0.113.9"));
  EXPECT_FALSE(is_in("0.0.0.0/0", "2001:db8::1"));
  EXPECT_TRUE(is_in("::/0", "203.0.113.9"));
  EXPECT_TRUE(is_in("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(is_in("2001:db8::/33", "2001:db8:8000::1"));
  EXPECT_TRUE(is_in("10.0.0.0/8", "::ffff:10.0.0.1"));
}

TEST(Network, what_is_none) {
  for (const char* const text : {"", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0/8",
                                 "::/129", "router", "10.0.0.0/8/8", " 10.0.0.0/8"}) {
    EXPECT_FALSE(parse_network(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace varve::snmp::inventory
