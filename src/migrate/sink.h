// SPDX-License-Identifier: Apache-2.0
// Sink: writes the samples of one thread to varve in batches; a batch is appended when it is large.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "model/kept_group.h"
#include "model/value.h"
#include "storage/sample_store.h"
#include "write/writer.h"

namespace varve::migrate {

// Where samples go. All of it is shared by the threads and outlives them.
struct Target {
  write::Writer& writer;
  storage::SeriesStore& series;
  storage::SampleStore& samples;
  std::string tenant;
};

// One thread.
class Sink {
 public:
  Sink(const Target& target, const std::atomic<bool>& stopping) : target_(target), stopping_(stopping) {}

  // The line group of one series. Errors: invalid (a tag or name that varve does not
  // take), limit (of series); others are not about this series.
  Result<model::KeptGroup> group(std::string_view metric, const model::Tags& tags);

  // Samples before this time are too old. Changes with time.
  Result<model::Timestamp> kept_from();

  // Error: an append failed after all retries; nothing may be added afterwards.
  Status add(const model::KeptGroup& group, model::Timestamp time, const model::Value& value);
  // Everything added is durable and visible.
  Status flush();

 private:
  Result<write::Ingest*> ingest();

  const Target& target_;
  const std::atomic<bool>& stopping_;
  std::unique_ptr<write::Ingest> ingest_;
};

}  // namespace varve::migrate
