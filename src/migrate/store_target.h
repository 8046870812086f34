// SPDX-License-Identifier: Apache-2.0
// StoreTarget: a store that this process has open.
#pragma once

#include <string>
#include <utility>

#include "migrate/target.h"
#include "storage/sample_store.h"
#include "write/writer.h"

namespace varve::migrate {

class StoreTarget final : public Target {
 public:
  // All outlive it.
  StoreTarget(write::Writer& writer, storage::SeriesStore& series, storage::SampleStore& samples, std::string tenant)
      : writer_(writer), series_(series), samples_(samples), tenant_(std::move(tenant)) {}

  std::unique_ptr<Sink> sink(const std::atomic<bool>& stopping, const Refused& refused) override;
  Result<std::uint64_t> held(std::string_view metric, model::TimeRange range,
                             const std::atomic<bool>& stopping) override;
  [[nodiscard]] bool is_in_use() const override { return false; }

 private:
  write::Writer& writer_;
  storage::SeriesStore& series_;
  storage::SampleStore& samples_;
  const std::string tenant_;
};

}  // namespace varve::migrate
