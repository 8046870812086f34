// SPDX-License-Identifier: Apache-2.0
// For tests of the engine: a store in memory with the series of some hosts.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/clock.h"
#include "query/request.h"
#include "storage/testing/memory_store.h"

namespace varve::query::testing {

inline aggregate::Stage stage_of(aggregate::Function f, std::int64_t value, model::TimeUnit unit) {
  aggregate::Stage stage;
  stage.function = f;
  stage.sampling = {value, unit};
  return stage;
}

class EngineTest : public ::testing::Test {
 protected:
  static Request request(aggregate::Stage stage) {
    Request out;
    out.tenant = "t";
    out.range = {0, 1'000'000};
    out.metrics.resize(1);
    out.metrics[0].metric = "m";
    out.metrics[0].pipeline().stages = {stage};
    return out;
  }
  void put(std::size_t hosts, std::size_t samples) {
    for (std::size_t h = 0; h < hosts; ++h) {
      const std::string host = std::to_string(h);
      for (std::size_t i = 0; i < samples; ++i) {
        store_.put("t", "m", {{"host", host}}, static_cast<model::Timestamp>(i) * 1000, model::Value::of_long(1));
      }
    }
  }

  storage::testing::MemoryStore store_{4};
  ManualClock clock_{1'000'000'000};
};

}  // namespace varve::query::testing
