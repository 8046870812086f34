// SPDX-License-Identifier: Apache-2.0
// Internal to session/: who a session of v3 is to its agent: the user with his keys for the agent's engine, and the
// agent's clock.
//
// libsnmp has one list of users and one of clocks for the process, by engine id and name. But several agents have one
// engine id (virtual machines that were copied, chassis of a pair), and several credentials one name of a user: the
// keys of one would be used with the other, and the clock of one refuse the other. So only one identity of an engine is
// in these lists at a time: that of the session that sends or reads.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

namespace varve::snmp::session {

class V3Identity;

// By engine: whose user and clock libsnmp has now.
using V3Places = std::unordered_map<std::string, V3Identity*>;

// Loop thread only, as all of libsnmp.
class V3Identity {
 public:
  explicit V3Identity(V3Places& places) : places_(places) {}
  ~V3Identity();
  V3Identity(const V3Identity&) = delete;
  V3Identity& operator=(const V3Identity&) = delete;

  // Before libsnmp makes the user of a session: nobody else is in his place.
  void begin(const std::string& engine, const std::string& user);
  // It has made him. The clock is not known yet: the agent refuses the first request, and tells its time with that.
  void made();
  // Before anything is sent, sent again or read.
  void take_place();

 private:
  void leave_place();

  V3Places& places_;
  std::string engine_ = {}, name_ = {};
  void* user_ = nullptr;  // libsnmp's; ours while it is not in the list
  std::uint32_t boots_ = 0, time_ = 0;
  std::int64_t left_s_ = 0;  // when the clock was that, by libsnmp's own
};

}  // namespace varve::snmp::session
