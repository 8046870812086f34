// SPDX-License-Identifier: Apache-2.0
// Target: where a migration writes samples, this varve's store or a server that runs.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/result.h"
#include "model/tags.h"
#include "model/time.h"
#include "model/value.h"

namespace varve::migrate {

// Of a series in KairosDB; views.
struct SourceSeries {
  std::string_view key;  // of its partition there, for reports
  std::string_view metric;
  const model::Tags& tags;
};

// Takes the samples of one thread, in batches; a batch is written when it is large.
class Sink {
 public:
  Sink() = default;
  virtual ~Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  // What is added from here on is of this series. Errors: invalid, corrupt (varve does not take it; nothing of it may
  // be added), limit (of series); others are not about this series.
  virtual Status begin(const SourceSeries& series) = 0;
  // Samples before this time are too old. Changes with time.
  virtual Result<model::Timestamp> kept_from() = 0;
  // Why this value cannot be written; empty: it can.
  [[nodiscard]] virtual std::string_view why_not(const model::Value&) const { return {}; }
  // Error: writing failed after all retries; nothing may be added afterwards.
  virtual Status add(model::Timestamp time, const model::Value& value) = 0;
  // Everything added is durable and visible.
  virtual Status flush() = 0;
};

// Told of a sample that had been added and that the target then did not take.
struct Refusal {
  std::string_view key, metric;
  bool too_old = false;
  std::string_view why;
};
using Refused = std::function<void(const Refusal&)>;

// Thread-safe.
class Target {
 public:
  Target() = default;
  virtual ~Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // All outlive the sink.
  virtual std::unique_ptr<Sink> sink(const std::atomic<bool>& stopping, const Refused& refused) = 0;
  // How many samples it holds of a metric in that time. Blocking.
  virtual Result<std::uint64_t> held(std::string_view metric, model::TimeRange range,
                                     const std::atomic<bool>& stopping) = 0;
  // May others write the same series meanwhile, so that there may be more than was copied?
  [[nodiscard]] virtual bool is_in_use() const = 0;
};

}  // namespace varve::migrate
