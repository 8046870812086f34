// SPDX-License-Identifier: Apache-2.0
// What network devices put in front of their date: a count, who they are, the part that speaks.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "protocol/syslog/time.h"

namespace varve::protocol::syslog {

struct DeviceHeader {
  std::optional<std::int64_t> sequence;  // the device's count of messages, or its number of this one
  std::string_view host;                 // "": it names none
  std::string_view node;                 // RP/0/RSP0/CPU0 of IOS XR
  std::optional<PreciseTime> time;
  std::string_view uptime;  // 3w4d or 00:01:05, where that stands for a date
};

// `29: `, `router1: `, `: ` and `RP/0/RSP0/CPU0:` in their order, with a date or a mnemonic behind, are taken off the
// front of the text together with the date. False, and the text is as it was: it has none of them. A name without a
// count counts only if a mnemonic is behind it, for a program's text may begin with a date, too.
bool take_device_header(std::string_view& text, const Context& context, DeviceHeader& out);

}  // namespace varve::protocol::syslog
