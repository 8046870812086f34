// SPDX-License-Identifier: Apache-2.0
#include "tools/load/snmp_device.h"

#include <fmt/format.h>

#include <iterator>

namespace varve::load {

std::uint64_t Device::counter_at(std::uint32_t column, std::uint32_t interface, std::int64_t now_ms) const {
  const std::uint64_t rate =
      1000 + (std::uint64_t{number} * 7919 + std::uint64_t{column} * 104'729 + std::uint64_t{interface} * 1'299'709) %
                 1'000'003;
  const auto passed = static_cast<std::uint64_t>(now_ms > zero_ms ? now_ms - zero_ms : 0);
  return base + rate * (passed / 1000) + rate * (passed % 1000) / 1000;  // with no product of 128 bits
}

std::uint32_t Device::interface_of(std::uint32_t row, std::int64_t now_ms) const {
  if (row > interfaces) return row;  // of an endless walk
  const auto turns = lies.renumber_every_ms == 0 ? 0 : static_cast<std::uint64_t>(now_ms) / lies.renumber_every_ms;
  return static_cast<std::uint32_t>((row - 1 + shift + turns) % interfaces) + 1;
}

void Device::name_of(std::uint32_t interface, std::string& name) const {
  name.clear();
  if (interface == 1) {
    switch (lies.names) {
      case Names::plain: break;
      case Names::empty: return;
      case Names::same: ++interface; break;
      case Names::bytes: name.assign("xe\xff\0\"\n{\xc3", 8); return;
      case Names::huge: name.assign(600, 'x'); return;
    }
  }
  fmt::format_to(std::back_inserter(name), "xe-0/{}/{}", (interface - 1) / 48, (interface - 1) % 48);
}

void Device::alias_of(std::uint32_t interface, std::string& text) const {
  text.clear();
  for (const char c : alias) {
    if (c == '#' || c == '@') {
      fmt::format_to(std::back_inserter(text), "{}", c == '#' ? interface : number);
    } else {
      text += c;
    }
  }
}

void Device::restart(std::int64_t now_ms) {
  booted_ms = now_ms;
  discontinuity = 0;
  set_counters(0, now_ms);
}

void Device::discontinue(std::int64_t now_ms) {
  discontinuity = uptime_at(now_ms);
  set_counters(0, now_ms);
}

void Device::set_counters(std::uint64_t to, std::int64_t at) {
  base = to;
  zero_ms = at;
}

}  // namespace varve::load
