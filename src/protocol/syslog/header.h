// SPDX-License-Identifier: Apache-2.0
// What stands before a message's text, as views of the frame.
#pragma once

#include <string_view>

#include "protocol/rfc3339.h"
#include "protocol/syslog/device_header.h"

namespace varve::protocol::syslog {

// "": the message does not say.
struct Header {
  PreciseTime time;
  std::string_view host;
  std::string_view program;
  std::string_view pid;
  std::string_view msgid;
  DeviceHeader device;
  std::string_view mnemonic;
  std::string_view vdc;      // the part of a switch that speaks
  std::string_view station;  // what an access point calls itself, beside its host
};

}  // namespace varve::protocol::syslog
