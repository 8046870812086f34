// SPDX-License-Identifier: Apache-2.0
// What a message does not say itself.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/time_zone.h"

namespace varve::protocol::syslog {

struct Context {
  std::int64_t now_us = 0;
  model::TimeZone zone;                        // of times without one
  std::string_view sender;                     // its address: the source of messages without a host
  std::int64_t ahead_us_max = 86'400'000'000;  // of now; a date without a year is not further
};

}  // namespace varve::protocol::syslog
