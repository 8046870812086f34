// SPDX-License-Identifier: Apache-2.0
// Rows to a syslog server: a datagram of RFC 5424 each.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "logs/line.h"

namespace varve::logs {

// The message as it is sent; a text that is too long for a datagram is cut off.
std::string syslog_message(const Row& row);

class SyslogSender {
 public:
  SyslogSender() = default;
  ~SyslogSender();
  SyslogSender(const SyslogSender&) = delete;
  SyslogSender& operator=(const SyslogSender&) = delete;

  // Error: unavailable.
  Status open(const std::string& host, std::uint16_t port);
  // Error: io. That nobody listens is known of the datagram before, if at all.
  [[nodiscard]] Status send(const Row& row) const;

 private:
  int socket_ = -1;
};

}  // namespace varve::logs
