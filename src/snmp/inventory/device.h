// SPDX-License-Identifier: Apache-2.0
// Device: an agent that is polled: where it is, with which credential, and what is asked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/time.h"

namespace varve::snmp::inventory {

inline constexpr std::size_t kNameBytesMax = 255;  // of devices, oidsets, correlators, objects, aliases, credentials
inline constexpr std::string_view kDefaultCredential = "default";

struct Device {
  std::string name = {};
  std::string address = {};                                  // host[:port], as it was given
  std::string credential = std::string(kDefaultCredential);  // its name in the file of credentials
  std::vector<std::string> oidsets = {};                     // names, each once
  bool active = true;
  std::optional<model::Timestamp> begin = {};    // polled from then on; nullopt: always was
  std::optional<model::Timestamp> end = {};      // polled before then; nullopt: for ever
  std::map<std::string, std::string> tags = {};  // for people and for queries of usage; not of its series

  bool operator==(const Device&) const = default;

  // Is it to be polled at that time?
  [[nodiscard]] bool is_polled_at(model::Timestamp now_ms) const {
    return active && (!begin || *begin <= now_ms) && (!end || now_ms < *end);
  }
};

struct HostPort {
  std::string host = {};  // a name or an address, without brackets
  std::uint16_t port = 161;
  bool operator==(const HostPort&) const = default;
};

// "router", "router:1161", "10.0.0.1", "[::1]:161", "::1". Error: invalid, with what is allowed.
Result<HostPort> parse_host_port(std::string_view text);

// Any UTF-8 of 1 to kNameBytesMax bytes without a NUL. Error: invalid.
Status check_name(std::string_view name);

// What is wrong with it by itself, each fault as `oidsets[1]: …`; nothing if it is good.
std::vector<std::string> faults_of(const Device& device);

}  // namespace varve::snmp::inventory
