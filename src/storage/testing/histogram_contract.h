// SPDX-License-Identifier: Apache-2.0
// The part of the contract of a store that is about histograms merged in windows. Include beside store_contract.h.
#pragma once

#include "storage/testing/merging_sink.h"
#include "storage/testing/store_contract.h"

namespace varve::storage::testing {

TEST_P(StoreContract, windows_say_of_histograms_what_the_samples_say) {
  constexpr std::int64_t kMinute = 60'000;
  constexpr std::int64_t kHour = HourlySink::kHourMs;
  const char* const names[] = {"pure", "mixed", "numbers", "shared"};
  std::map<std::string, Samples> written;
  std::map<std::string, std::vector<Group*>> groups;
  for (const char* name : names) groups[name].push_back(store.group({name}));
  groups["shared"].push_back(store.group({"shared"}, {{"host", "a"}}, "t", 400 * 86'400));
  const auto put = [&](const std::string& metric, model::Timestamp time, const Value& value, std::size_t group = 0) {
    ASSERT_TRUE(store.put(*groups[metric][group], time, {value}));
    written[metric][time] = OwnedValue(value);
  };
  const auto H = [](const std::string& bytes) { return Value::of_histogram(bytes); };

  const model::Timestamp begin = model::window_start(engine->now_ms(), kHour) - 40 * kHour + 3 * kMinute;
  for (int i = 0; i < 150; ++i) {
    const model::Timestamp time = begin + i * 7 * kMinute;
    const std::string histogram = small_histogram(static_cast<std::uint64_t>(i));
    put("pure", time, H(histogram));
    put("numbers", time, L(i));
    put("shared", time, H(histogram), static_cast<std::size_t>(i % 3 == 0));
    switch (i < 60 ? 0 : i % 5) {  // an hour of nothing else, and others
      case 1: put("mixed", time, S("text")); break;
      case 2: put("mixed", time, L(i)); break;
      case 3: put("mixed", time, D(0.5)); break;
      default: put("mixed", time, H(histogram));
    }
  }
  put("pure", begin + 1, H("foreign bytes"));

  std::size_t windows = 0;
  const auto look = [&] {
    std::vector<model::SeriesId> series;
    for (const char* name : names) series.push_back(store.find(name).at(0));
    ScanOptions options;
    options.threads = 2;
    for (const bool numbers : {true, false}) {
      MergingSink sink(series.size(), numbers);
      ASSERT_TRUE(engine->samples().scan(store.tenant(), series, options, sink));
      for (std::size_t s = 0; s < series.size(); ++s) {
        EXPECT_EQ(sink.hours(s), hours_of(written[names[s]])) << names[s] << numbers;
      }
      windows = sink.windows;
    }
    // Nothing of them where they are not wanted.
    HourlySink plain(1);
    ASSERT_TRUE(engine->samples().scan(store.tenant(), std::span(series).subspan(2, 1), options, plain));
    EXPECT_EQ(plain.hours(0).size(), hours_of(written["numbers"]).size());
    EXPECT_EQ(store.read("pure"), written["pure"]);
    // The edges of a range are samples.
    options.range = {begin + 5 * kHour + 11, begin + 9 * kHour + 13 * kMinute};
    MergingSink part(1, false);
    ASSERT_TRUE(engine->samples().scan(store.tenant(), std::span(series).first(1), options, part));
    const auto& all = written["pure"];
    EXPECT_EQ(part.hours(0),
              hours_of(Samples(all.lower_bound(options.range.first), all.lower_bound(options.range.last))));
  };
  everywhere(look);
  if (engine->advance_ms(10 * kMinute) && engine->makes_windows()) {
    ASSERT_TRUE(engine->samples().settle());
    look();
    EXPECT_GE(windows, 15U);  // hours
  }
  // Late ones, over others, by others; and others over them.
  put("pure", begin + 3 * kHour + 1, H(small_histogram(1000)));
  put("pure", begin + 7 * kMinute, H(small_histogram(1001)));
  put("pure", begin + 14 * kMinute, L(5));
  put("mixed", begin + 21 * kMinute, S("over it"));
  put("mixed", begin + 61 * 7 * kMinute, H(small_histogram(1002)));
  put("numbers", begin + 7 * kMinute, H(small_histogram(1003)));
  put("shared", begin + 7 * kMinute, H(small_histogram(1004)), 0);
  everywhere(look);
  // Erased in part.
  const model::TimeRange erased{begin + 4 * kHour + 5, begin + 6 * kHour + 9 * kMinute};
  for (const char* name : names) {
    ASSERT_TRUE(engine->samples().erase(store.tenant(), store.find(name), erased, nullptr));
    std::erase_if(written[name], [&](const auto& sample) { return erased.contains(sample.first); });
  }
  everywhere(look);
}

}  // namespace varve::storage::testing
