// SPDX-License-Identifier: Apache-2.0
// Syslog over UDP, TCP and TLS. docs/protocols/syslog.md says what is taken.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "message/builder.h"
#include "model/time_zone.h"
#include "net/tls.h"
#include "protocol/syslog/frames.h"

namespace varve::syslog {

using AppendDone = std::function<void(Status)>;

// Stores the batch, which has rows and is the sink's until it calls `done`: once, from any thread, also before it
// returns. Without an error all rows are durable. Errors: unavailable (the same batch comes again after a pause, and
// nothing more is read meanwhile: that is how a full disk slows the sender); any other: the rows are lost, and counted.
// Those that are of the rows (invalid, too_large, too_old, limit) do not end the connection, all others reset it.
// An exception says that the batch was not taken and `done` will not be called.
using Sink = std::function<void(const std::string& tenant, message::Batch& batch, AppendDone done)>;

struct ListenerOptions {
  std::string udp;  // address:port; empty: off; port 0: any (see udp_port())
  std::string tcp;
  std::string tls = {};  // with the files' certificate and key
  net::TlsFiles tls_files = {};
  std::string tenant = "default";
  model::TimeZone zone = {};                     // of times without one
  std::chrono::milliseconds future{86'400'000};  // a date without a year is not further ahead
  std::size_t message_max = protocol::syslog::kMessageBytesMax;
  std::size_t connections_max = 10'000;  // of TCP, and as many of TLS
  std::chrono::milliseconds handshake_timeout{10'000};
  std::chrono::milliseconds idle_timeout{0};  // without a byte; 0: a quiet sender stays connected
  std::chrono::milliseconds retry_pause{500};
  // Are senders to be slowed? Then a connection reads one piece in each retry_pause. Called by any thread.
  std::function<bool()> is_slowed = [] { return false; };
};

// start and stop are called from one thread, start once. Promise: messages of a connection that its client closed in
// order are durable when the server closes its side; if they are not, the connection is reset.
class Listener {
 public:
  // The sink is called from the listener's threads, one for each address.
  Listener(ListenerOptions options, Sink sink, const Clock& clock, Metrics& metrics);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Would start() take these files? Errors: as of it.
  static Status check_tls(const net::TlsFiles& files);
  // Errors: invalid (not an address), conflict (in use), io; invalid and io of a file begin with its key:
  // `syslog.certificate=FILE: …`.
  Status start();
  [[nodiscard]] std::uint16_t udp_port() const;
  [[nodiscard]] std::uint16_t tcp_port() const;
  [[nodiscard]] std::uint16_t tls_port() const;

  // Stops accepting, takes what has arrived, waits until it is durable or the deadline passed, closes.
  void stop(std::chrono::milliseconds deadline = std::chrono::milliseconds(5000));

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::syslog
