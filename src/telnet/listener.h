// SPDX-License-Identifier: Apache-2.0
// The line protocol of OpenTSDB and KairosDB over TCP: put, putm, puts, version, help, exit.
// A connection that gets ahead of the store is not read until the store has caught up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/metrics.h"
#include "base/result.h"
#include "write/writer.h"

namespace varve::telnet {

struct ListenerOptions {
  std::string listen = "127.0.0.1:4242";  // address:port; port 0: any (see port())
  unsigned threads = 1;
  std::string tenant_default = "default";  // for lines without a tag named tenant; empty: such a line is refused
  bool tenant_tag = true;                  // lines may name their tenant by a tag
  std::string version;                     // what `version` answers
  std::size_t line_max = 64UL << 10;       // a longer line is skipped to its end, with an error line
  std::size_t connections_max = 10'000;
  std::chrono::milliseconds idle_timeout{3'600'000};  // without a byte; 0: a silent agent may stay for ever
};

// start and stop are called from one thread. Promise: lines of a connection that its client closed in order (and lines
// before an `exit`) are durable when the server closes its side.
class Listener {
 public:
  Listener(ListenerOptions options, write::Writer& writer, Metrics& metrics);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Errors: invalid (not an address), conflict (in use), io.
  Status start();
  [[nodiscard]] std::uint16_t port() const;

  // Stops accepting, takes what has arrived (whole lines), waits until it is durable or the deadline passed, closes.
  void stop(std::chrono::milliseconds deadline = std::chrono::milliseconds(5000));

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace varve::telnet
