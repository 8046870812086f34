// SPDX-License-Identifier: Apache-2.0
// Replicas whose clocks differ by an hour write, renew, are stopped in the middle of that, die, end and start, while
// the store fails now and then and rows stand late: whatever is acknowledged stood before any of them computed a
// watermark above its arrival.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <vector>

#include "base/testing/effort.h"
#include "engine/cassandra/testing/watermark_replica.h"

namespace varve::engine::cassandra::testing {
namespace {

struct WatermarkModel {
  struct Write {
    Watermark::Append append;
    bool stands = false;
    std::int64_t watermark_us = 0;  // the greatest one when it stood
  };
  struct Process : WatermarkReplica {
    using WatermarkReplica::WatermarkReplica;
    std::vector<Write> writes;
    bool stopped = false, renewing = false, ended = false;
  };

  explicit WatermarkModel(unsigned seed) : random(seed) {
    for (int i = 0; i < 3; ++i) start();
    cluster.rows.before_write([this](const auto&) { return in_between(); });
    cluster.rows.before_read([this](const auto&) { return in_between(); });
  }

  bool chance(unsigned percent) { return random() % 100 < percent; }
  void start() {
    static constexpr std::array<std::int64_t, 4> kAheadMs = {0, -3'600'000, 3'600'000, 500};
    processes.push_back(std::make_shared<Process>(cluster, ++sources, kAheadMs[random() % kAheadMs.size()]));
  }
  void advance() {
    static constexpr std::array<std::int64_t, 6> kMs = {1, 200, 1000, 3000, 11'000, 31'000};
    cluster.clock.advance_ms(kMs[std::min({random() % 6, random() % 6, random() % 8})]);
  }

  void look() {
    for (const auto& process : processes) greatest_us = std::max(greatest_us, process->watermark.reached_us());
  }
  void write(Process& process) {
    if (auto append = process.begin()) process.writes.push_back({*append});
  }
  void stand(Process& process) {
    if (process.writes.empty()) return;
    Write& write = process.writes[random() % process.writes.size()];
    if (std::exchange(write.stands, true)) return;
    look();
    write.watermark_us = greatest_us;
  }
  // The last step of a write that stands; others fail.
  void end(Process& process) {
    if (process.writes.empty()) return;
    const std::size_t at = random() % process.writes.size();
    const Write write = process.writes[at];
    if (!write.stands && !chance(10)) return;
    process.writes.erase(process.writes.begin() + static_cast<std::ptrdiff_t>(at));
    if (!process.watermark.end(write.append) || !write.stands) return;
    ++acknowledged;
    EXPECT_GE(write.append.first_us, write.watermark_us);
  }
  void renew(Process& process) {
    if (process.renewing) return;
    process.renewing = true;
    process.rows.hold(chance(3));
    const std::int64_t before = process.watermark.reached_us();
    (void)process.watermark.renew();
    EXPECT_GE(process.watermark.reached_us(), before);
    process.rows.hold(false);
    process.renewing = false;
    look();
  }
  // Ends, dies, or is only stopped; another one starts in its place.
  void leave(Process& process) {
    if (process.renewing) return;
    if (chance(40)) {
      std::erase_if(processes, [&](const auto& other) { return other.get() == &process; });
      start();
      process.ended = true;
      for (const Write& write : std::exchange(process.writes, {})) (void)process.watermark.end(write.append);
      if (chance(50)) process.watermark.close();
    } else {
      process.stopped = !process.stopped;
    }
  }
  void step() {
    const auto process = processes[random() % processes.size()];  // stays until it has done
    const unsigned what = random() % 100;
    if (process->stopped || process->ended) {
      if (what < 10) process->stopped = false;
    } else if (what < 25) {
      write(*process);
    } else if (what < 45) {
      stand(*process);
    } else if (what < 60) {
      end(*process);
    } else if (what < 95) {
      renew(*process);
    } else if (what < 98) {
      leave(*process);
    } else {
      process->rows.land();
    }
    if (chance(20)) advance();
  }
  // While one of them waits for the store. It may be that it is stopped there.
  Status in_between() {
    if (depth == 3) return {};
    ++depth;
    for (unsigned steps = chance(70) ? 0 : random() % 12; steps > 0; --steps) step();
    --depth;
    return chance(2) ? fail(Code::timeout, "slow") : Status();
  }

  std::mt19937 random;
  Cluster cluster;
  std::int64_t sources = 0;
  std::vector<std::shared_ptr<Process>> processes;
  std::int64_t greatest_us = 0;
  int depth = 0;
  std::uint64_t acknowledged = 0;
};

TEST(WatermarkModelTest, WhatIsAcknowledgedStoodBeforeItWasPassed) {
  std::uint64_t acknowledged = 0;
  const auto seeds = static_cast<unsigned>(varve::testing::effort(200));
  for (unsigned seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    WatermarkModel model(seed);
    const std::int64_t begin_us = model.cluster.clock.now_ms() * 1000;
    for (int i = 0; i < 1000; ++i) model.step();
    acknowledged += model.acknowledged;
    EXPECT_GT(model.greatest_us, begin_us - 3'600'000'000);
  }
  EXPECT_GT(acknowledged, seeds * 20);
}

}  // namespace
}  // namespace varve::engine::cassandra::testing
