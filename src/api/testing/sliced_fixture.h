// SPDX-License-Identifier: Apache-2.0
// What the tests of answers whose samples are read while they are sent share: two engines over the same samples, of
// which one makes answers in memory and the other has not enough for that.
#pragma once

#include <limits>
#include <random>
#include <string_view>

#include "api/testing/query_script.h"

namespace varve::api::testing {

class SlicedFixture : public QueryScript {
 protected:
  static constexpr std::size_t kSliceBytes = 4096;
  static constexpr std::size_t kMemoryBytes = 64 << 10;  // not enough for all at once

  void put(std::string_view metric, const model::TagViews& tags, model::Timestamp time, const model::Value& value) {
    for (auto* const store : {&store_, &second_}) store->put("default", metric, tags, time, value);
  }
  // Several hosts, one without a rack; longs, doubles and NaN; many at the same time; a long pause.
  void put_random(std::string_view metric, std::size_t samples) {
    using model::Value;
    std::mt19937 random(7);
    const std::vector<model::TagViews> all{{{"host", "a"}, {"rack", "1"}},
                                           {{"host", "b"}, {"rack", "1"}},
                                           {{"host", "c"}, {"rack", "2"}},
                                           {{"host", "d"}}};
    for (std::size_t i = 0; i < samples; ++i) {
      const auto time = static_cast<model::Timestamp>(random() % 5000) + (random() % 2 != 0 ? 100'000'000 : 0);
      const Value value = random() % 20 == 0  ? Value::of_double(std::numeric_limits<double>::quiet_NaN())
                          : random() % 2 == 0 ? Value::of_double(static_cast<double>(random() % 1000) / 8)
                                              : Value::of_long(static_cast<std::int64_t>(random() % 1000));
      put(metric, all[random() % all.size()], time, value);
    }
  }
  Response ask_sliced(const Request& request) {
    std::size_t pieces = 0;
    Response response = answer_of(sliced_router_, request, pieces);
    pieces_ = pieces;
    return response;
  }

  storage::testing::MemoryStore second_;
  query::Engine sliced_{second_, second_, clock_, {.memory_bytes = kMemoryBytes, .slice_bytes = kSliceBytes}};
  Metrics sliced_metrics_;
  Router sliced_router_;
};

}  // namespace varve::api::testing
