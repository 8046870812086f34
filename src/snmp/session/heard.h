// SPDX-License-Identifier: Apache-2.0
// Heard: a datagram that came unasked, read by the secrets of those who may have sent it: a trap, an inform, or what a
// sender of informs by v3 asks before (RFC 3414, sections 3.2 and 4): which engine we are, and what time it is here.
//
//   Heard heard(datagram, engine);
//   for (…) if (const auto trap = heard.read(secret)) …
//   send(heard.report());                       // if there was none
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "snmp/session/engine.h"
#include "snmp/session/trap.h"
#include "snmp/session/v3_message.h"

namespace varve::snmp::session {

// All must outlive it, secrets too. Loop thread only.
class Heard {
 public:
  // `engine`: nullptr: we are none yet, and informs of v3 are not taken.
  Heard(std::string_view datagram, Engine* engine);

  // nullopt: it is no trap and no inform, or not of whom this secret is. An inform of v3 that is out of the time window
  // is none: somebody repeats it, or its sender has to learn the time.
  std::optional<TrapMessage> read(const Secret& secret);

  // What tells the sender why no secret fitted, where he wants to know and one of v3 was tried; else "". Counts it.
  std::string report();
  // Why, if he wants to know.
  [[nodiscard]] std::optional<Refusal> refusal() const;

 private:
  std::optional<TrapMessage> read_inform(const Secret& secret);
  [[nodiscard]] std::string answer(std::string_view scoped, const Secret& secret) const;
  void refuse(Refusal why, const Secret* signer = nullptr);

  const std::string_view datagram_;
  Engine* const engine_;
  std::optional<V3Message> message_;     // if it is of v3
  std::optional<Refusal> refusal_ = {};  // of the secret with which it came farthest
  const Secret* signer_ = nullptr;  // whose keys a report may be signed with: the sender has proved that he has them
};

}  // namespace varve::snmp::session
