// SPDX-License-Identifier: Apache-2.0
// Log messages as bytes of each protocol that takes them.
#pragma once

#include <memory>
#include <string>

#include "tools/load/encode.h"
#include "tools/load/logs.h"

namespace varve::load {

// Collects messages and gives back one body after the other; syslog: octet-counted frames.
class LogEncoder {
 public:
  virtual ~LogEncoder() = default;
  virtual void add(const LogMessage& message) = 0;
  virtual std::string take() = 0;
};

// Of a protocol that takes messages.
std::unique_ptr<LogEncoder> make_log_encoder(Protocol protocol);

}  // namespace varve::load
