// SPDX-License-Identifier: Apache-2.0
// The composition: a checked configuration becomes a running varve. The only place, with cli/, that names an engine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "config/config.h"
#include "config/yaml.h"

namespace varve::server {

// start, tick, reload and stop are called from one thread.
class Server {
 public:
  // `shown`: the settings that the configuration is made of, secrets hidden, for who asks.
  Server(const config::Config& config, const Clock& clock, std::vector<config::Setting> shown = {});
  ~Server();  // stops, if stop() was not called
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens at once, answering 503 until the store is open; then serves. After an error nothing is left running.
  // `go_on` is asked while something is waited for, without which nothing can be served. Errors: conflict (an address
  // in use, the directory open in another process), corrupt, io, invalid (what the configuration names cannot be used),
  // cancelled (it was not to go on).
  Status start(const std::function<bool()>& go_on = [] { return true; });

  [[nodiscard]] std::uint16_t http_port() const;
  [[nodiscard]] std::uint16_t telnet_port() const;  // 0: off

  // What is done every few seconds: records the server's own metrics.
  void tick();

  // Reads again the files that the configuration names and that may change. What is wrong is logged; then what was
  // there stays.
  void reload();

  // Takes nothing new, finishes what runs until the deadline, makes everything durable, closes.
  void stop(std::chrono::milliseconds deadline);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace varve::server
