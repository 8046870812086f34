// SPDX-License-Identifier: Apache-2.0
// What connections and the receiver of datagrams share. Outlives them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "net/tls.h"
#include "protocol/syslog/message.h"
#include "protocol/syslog/refusal.h"
#include "syslog/listener.h"

namespace varve::syslog {

struct Service {
  Service(ListenerOptions options, Sink sink, const Clock& clock, Metrics& metrics);

  // What messages do not say, at this moment.
  [[nodiscard]] protocol::syslog::Context context(std::string_view sender) const;
  // Adds what was counted, which begins anew.
  void count(protocol::syslog::Refusals& refusals);
  // Rows that the store did not take, for a reason that does not pass.
  void lost(std::size_t rows, const Error& error);
  // A connection to the TLS address that came to nothing.
  void handshake_failed(net::TlsFailure why);

  const ListenerOptions options;
  const Sink sink;
  const Clock& clock;
  Counter& accepted;  // messages that are durable
  Counter& not_stored;
  Counter& connections;  // accepted
  Counter& refused;      // over the limit
  Counter& dropped;      // datagrams, by the kernel

 private:
  std::vector<Counter*> rejected_;           // by protocol::syslog::Refusal
  std::vector<Counter*> handshakes_failed_;  // by net::TlsFailure
};

}  // namespace varve::syslog
