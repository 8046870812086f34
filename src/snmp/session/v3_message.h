// SPDX-License-Identifier: Apache-2.0
// V3Message: the outside of a message of version 3 (RFC 3412, RFC 3414): who says it, how it is signed and hidden.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "snmp/session/credential.h"

namespace varve::snmp::session {

// Views into the message. Nothing of it is trusted yet.
struct V3Message {
  std::string_view id = {};  // of the message: the content of its element
  Level level = Level::no_auth;
  bool wants_report = false;     // if it is refused
  std::string_view engine = {};  // the authoritative one: 5 to 32 bytes; "": the sender asks which that is
  std::uint32_t boots = 0, time = 0;
  std::string_view user = {};
  std::string_view signature = {}, salt = {};
  std::string_view scoped = {};  // the inside: an element, or what is hidden of it
};

// nullopt: it is none, or not of the user-based security model.
std::optional<V3Message> read_v3_message(std::string_view datagram);
std::string write_v3_message(const V3Message& message);

// What is in the inside, once it is not hidden: what an agent says, as in a message of v2c. What follows is padding.
std::optional<std::string_view> pdu_of(std::string_view scoped);
// The inside without what follows.
std::optional<std::string_view> without_padding(std::string_view scoped);

// An inside of one's own.
std::string scoped_of(std::string_view engine, std::string_view pdu);

}  // namespace varve::snmp::session
