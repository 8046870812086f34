// SPDX-License-Identifier: Apache-2.0
// Random work while random steps fail, with kills in between, against a plain map: puts (late ones into slots whose
// samples are gone, too, and with times to live), deletes, settling, time that passes, texts. Whatever failed: nothing
// that was acknowledged is missing, nothing counts twice, and the store goes on as soon as nothing fails any more. The
// same seed does the same work; the store's own threads take part.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "base/testing/effort.h"
#include "base/testing/jumping_clock.h"
#include "engine/rocksdb/testing/child.h"
#include "engine/rocksdb/testing/directory.h"
#include "engine/rocksdb/testing/memory_directories.h"
#include "engine/rocksdb/testing/random_faults.h"
#include "engine/rocksdb/testing/records.h"
#include "engine/rocksdb/testing/rollup_store.h"
#include "engine/rocksdb/testing/sums.h"

namespace varve::engine::rocksdb {
namespace {

using model::Timestamp;
using model::Value;
using storage::testing::Fixture;
using testing::kDay;
using testing::kHour;
using testing::kMinute;
using testing::kStart;
using testing::StoreAt;
using testing::Sums;

constexpr std::uint32_t kTtlSeconds = 6 * 3600;

class FailureModel {
 public:
  explicit FailureModel(std::uint32_t seed) : random_(seed), faults_(seed + 1) {
    options_.path = directory_.path();
    options_.rollups.levels = {{5 * kMinute, 4 * kDay}, {kHour, rollup::kForEver}, {kDay, rollup::kForEver}};
    options_.raw_retention_ms = 2 * kDay;
    options_.slot_quiet_ms = 10 * kMinute;
    options_.strata.clear();
    if (seed % 2 != 0) options_.strata = {{2 * kHour, 1, 1 << 20}, {6 * kHour, 1, 1 << 20}};
    options_.merge_quiet_ms = 1;
    options_.erase_step_bytes = 1;  // others have their turns within a delete
    options_.log_bytes_max = 6000;  // so that the store moves samples into the database all the time
    options_.head_wait_ms = 1;
    options_.at_step = [this](std::string_view step) { return faults_.at(step); };
    open();
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      SCOPED_TRACE("step " + std::to_string(i));
      if (pick(4) == 0) faults_.set(pick(3) == 0 ? 0 : 2 + pick(16));
      const auto what = pick(100);
      if (what < 45) {
        put();
      } else if (what < 55) {
        (void)engine_->samples().settle();
      } else if (what < 65) {
        clock_.advance_ms(static_cast<std::int64_t>(pick(pick(6) == 0 ? 30 : 6)) * kHour);
      } else if (what < 72) {
        put_text();
      } else if (what < 75) {
        erase();
      } else if (what < 83) {
        faults_.set(0);
        open();
      } else if (what < 87) {
        jump();
      } else {
        check();
      }
    }
    faults_.set(0);
    settle();
    check();
    open();
    settle();
    check();
    close();
    EXPECT_EQ(testing::orphans(directory_.path()), 0) << "blocks without a run";
  }
  [[nodiscard]] std::size_t failed() const { return faults_.failed(); }

 private:
  std::uint32_t pick(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(random_);
  }
  void close() {
    store_.reset();
    engine_.reset();
  }
  // What was in RocksDB's memory alone is gone then, as with a process that is killed.
  void open() {
    close();
    auto opened = Store::open(options_, clock_);
    ASSERT_TRUE(opened) << opened.error().message;
    engine_.emplace(std::move(*opened));
    store_.emplace(*engine_);
    groups_ = {store_->group({"m", "n"}), store_->group({"m"}), store_->group({"alone"}),
               store_->group({"mortal"}, {{"host", "a"}}, "t", kTtlSeconds)};
  }
  // Nothing fails any more: it goes on by itself.
  void settle() {
    const auto settled = engine_->samples().settle();
    ASSERT_TRUE(settled) << settled.error().message;
  }

  // The wall clock is wrong for a moment. A start believes some hours.
  void jump() {
    const bool far = pick(2) == 0;
    const std::int64_t by = (far ? 400 * kDay : 3 * kHour) * (pick(3) == 0 ? -1 : 1);
    clock_.jump_ms(by);
    if (far && pick(3) == 0) {
      faults_.set(0);
      open();
    }
    (void)engine_->samples().settle();
    clock_.jump_ms(-by);
  }

  // Times that are new, some of them as old as it gets; or, where the samples are kept for long yet, old ones.
  Timestamp time_for(const storage::testing::Group& group) {
    const Timestamp now = clock_.now_ms();
    const auto late = pick(4) == 0 && group.ttl_s == 0;
    while (true) {
      const Timestamp time = now - static_cast<Timestamp>(pick(late ? 5 * 86'400 : 3 * 3600)) * 1000;
      const bool is_new = std::ranges::none_of(group.metrics, [&](const auto& m) { return want_[m].contains(time); });
      if (is_new || time > now - 12 * kHour) return time;
    }
  }

  void put() {
    model::RowBatch batch;
    std::map<std::pair<std::string, Timestamp>, double> rows;
    for (auto left = 1 + pick(40); left > 0; --left) {
      const auto& group = *groups_[pick(static_cast<std::uint32_t>(groups_.size()))];
      const Timestamp time = time_for(group);
      // What stands in several groups of one batch comes in no particular order.
      if (std::ranges::any_of(group.metrics, [&](const auto& m) { return rows.contains({m, time}); })) continue;
      std::vector<Value> values;
      for (const auto& metric : group.metrics) {
        const double v = pick(1000) / 4.0;
        values.push_back(Value::of_double(v));
        rows[{metric, time}] = v;
      }
      batch.add(group.line, time, values);
    }
    if (!store_->append(batch)) return;
    for (const auto& [at, value] : rows) want_[at.first][at.second] = value;
  }

  // Whole days, so that no window is erased in part. What fails may have been done in part, and is done again.
  void erase() {
    const Timestamp first = model::window_start(clock_.now_ms(), kDay) - static_cast<Timestamp>(pick(6)) * kDay;
    const model::TimeRange range{first, first + static_cast<Timestamp>(1 + pick(2)) * kDay};
    const std::string metric = pick(2) == 0 ? "m" : "alone";
    const auto try_it = [&] {
      return engine_->samples().erase(store_->tenant(), store_->find(metric), range, nullptr);
    };
    if (!try_it()) {
      faults_.set(0);
      if (pick(2) == 0) open();
      const auto erased = try_it();
      ASSERT_TRUE(erased) << erased.error().message;
    }
    std::erase_if(want_[metric], [&](const auto& sample) { return range.contains(sample.first); });
  }

  void put_text() {
    const storage::TextName name{"t", "s", "k", std::to_string(pick(4))};
    const std::string text = pick(4) == 0 ? "" : std::to_string(random_());
    auto& may_be = texts_[name.key];
    const auto status = text.empty() ? engine_->store().erase_text(name) : engine_->store().put_text(name, text);
    if (status) may_be.clear();
    if (may_be.empty() && !status) may_be.insert("");
    may_be.insert(text);
  }

  Sums read(const std::string& metric, std::int64_t width, model::TimeRange range, bool windows) {
    testing::SumSink sink(width, range);
    storage::ScanOptions scan;
    scan.range = range;
    scan.windows = windows;
    const auto status = engine_->samples().scan(store_->tenant(), store_->find(metric), scan, sink);
    EXPECT_TRUE(status) << status.error().message;
    return std::move(sink.sums);
  }
  Sums expected(const std::string& metric, std::int64_t width, model::TimeRange range) {
    Sums sums;
    for (const auto& [time, v] : want_[metric]) {
      if (range.contains(time)) sums[model::window_start(time, width)].add(time, 1, v, v, v);
    }
    return sums;
  }

  void check() {
    const Timestamp now = clock_.now_ms();
    for (const std::string metric : {"m", "n", "alone"}) {
      const model::TimeRange all{kStart, now + kDay};
      for (const std::int64_t width : {kHour, kDay}) {
        SCOPED_TRACE(metric + " at " + std::to_string(width));
        testing::expect_equal(read(metric, width, all, true), expected(metric, width, all));
      }
      SCOPED_TRACE(metric + "'s samples");
      const model::TimeRange kept{model::window_start(now - 2 * kDay, kHour) + kHour, now + 1};
      testing::expect_equal(read(metric, 1, kept, false), expected(metric, 1, kept));
    }
    const model::TimeRange alive{now - std::int64_t{kTtlSeconds} * 1000 + 1, now + 1};
    testing::expect_equal(read("mortal", 1, alive, false), expected("mortal", 1, alive));
    for (const auto& [key, may_be] : texts_) {
      const auto text = engine_->store().text({"t", "s", "k", key});
      ASSERT_TRUE(text);
      EXPECT_TRUE(may_be.contains(text->value_or("")));
    }
  }

  const testing::TemporaryDirectory directory_;
  std::mt19937 random_;
  testing::RandomFaults faults_;
  varve::testing::JumpingClock clock_{kStart + 10 * kDay};
  Options options_;
  std::optional<StoreAt> engine_;
  std::optional<Fixture> store_;
  std::vector<storage::testing::Group*> groups_;
  std::map<std::string, std::map<Timestamp, double>> want_;
  std::map<std::string, std::set<std::string>> texts_;  // what each may be; "": none
};

TEST(FailureModel, loses_nothing) {
  testing::make_directories_in_memory();
  std::size_t failed = 0;
  constexpr std::uint32_t kSeeds = varve::testing::effort(12);
  for (std::uint32_t seed = 1; seed <= kSeeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FailureModel model(seed);
    model.run(150);
    failed += model.failed();
  }
  EXPECT_GT(failed, 9 * kSeeds);
}

}  // namespace
}  // namespace varve::engine::rocksdb
