// SPDX-License-Identifier: Apache-2.0
// Engine: what the server needs of where data live, embedded or cluster, with the threads that it needs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "config/config.h"
#include "counter/declared.h"
#include "storage/message_store.h"
#include "storage/passing_texts.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"
#include "storage/slot_store.h"
#include "storage/text_store.h"
#include "tracker/ownership.h"

namespace varve::server {

// What an engine asks and tells the server while it opens, and later. Thread-safe, as long as the engine.
struct Surroundings {
  std::function<bool()> go_on = [] { return true; };  // false: it is to stop, and need not wait any longer
  std::function<void(std::string)> say = [](const std::string&) {};  // what hinders it, for people; empty: nothing
};

class Engine {
 public:
  // Makes everything durable; appends under way call back before it returns. Jobs are given back.
  virtual ~Engine() = default;

  virtual storage::SeriesStore& series() = 0;
  virtual storage::SampleStore& samples() = 0;
  virtual storage::SlotStore& slots() = 0;
  virtual storage::TextStore& texts() = 0;
  // nullptr: there is one replica only.
  virtual storage::PassingTexts* passing_texts() { return nullptr; }
  // nullptr: this engine keeps none.
  virtual storage::MessageStore* messages() { return nullptr; }
  virtual tracker::Ownership& ownership() = 0;
  // Which partitions of the devices this replica polls; nullptr: all of them.
  virtual tracker::Ownership* polls() { return nullptr; }

  // How full is what keeps writes until they are in the store, in percent: at 100 they are refused. Thread-safe.
  [[nodiscard]] virtual double backlog_percent() const = 0;
  // How full is the file system of the data directory; empty: there is none. Valid as long as the engine.
  [[nodiscard]] virtual std::function<double()> disk_percent() const { return {}; }

  [[nodiscard]] virtual std::uint64_t series_created() const = 0;  // since the start
  // Those that the other engine has not. `metrics` goes before the engine.
  virtual void register_metrics(Metrics& metrics) = 0;
};

// Blocking. `counters`: which series are, for their windows. `replica`: its name among others, for people. Errors:
// conflict (the directory is open in another process, or was made otherwise), corrupt, io.
Result<std::unique_ptr<Engine>> open_embedded(const config::Config& config,
                                              std::shared_ptr<const counter::Declared> counters, const Clock& clock,
                                              std::string replica);
// Blocking; where Redis is away, until it is there. Errors: those of engine/cassandra/connection.h; unsupported (not in
// this build).
Result<std::unique_ptr<Engine>> open_cluster(const config::Config& config,
                                             std::shared_ptr<const counter::Declared> counters, const Clock& clock,
                                             std::string replica, const Surroundings& surroundings);

}  // namespace varve::server
