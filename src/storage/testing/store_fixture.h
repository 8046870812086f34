// SPDX-License-Identifier: Apache-2.0
// What the contract suites need of an engine, and short ways to put samples into it and to read them back.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/wait.h"
#include "model/line_group.h"
#include "model/row.h"
#include "storage/message_store.h"
#include "storage/sample_store.h"
#include "storage/series_store.h"
#include "storage/slot_store.h"

namespace varve::storage::testing {

// An engine under test, with an empty store when made.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual SeriesStore& series() = 0;
  virtual SampleStore& samples() = 0;
  virtual MessageStore* messages() { return nullptr; }  // nullptr: it keeps none
  virtual SlotStore* slots() { return nullptr; }        // nullptr: it has none
  virtual void restart() = 0;  // closes and opens again; an engine without durability does nothing
  // By its clock. Let time pass; false: this clock cannot be moved.
  [[nodiscard]] virtual std::int64_t now_ms() const { return SystemClock().now_ms(); }
  virtual bool advance_ms(std::int64_t) { return false; }
  // Does settle() make windows of an hour or less?
  [[nodiscard]] virtual bool makes_windows() const { return false; }
};
using MakeEngine = std::function<std::unique_ptr<Engine>()>;

// A value that owns its text.
struct OwnedValue {
  model::ValueType type = model::ValueType::long_;
  std::uint64_t bits = 0;
  std::string text;
  OwnedValue() = default;
  explicit OwnedValue(const model::Value& v) : type(v.type), bits(v.bits), text(v.text) {}
  [[nodiscard]] model::Value view() const { return {type, bits, text}; }
  bool operator==(const OwnedValue&) const = default;
};
// NOLINTNEXTLINE(readability-identifier-naming): the name that gtest looks for
inline void PrintTo(const OwnedValue& value, std::ostream* out) {
  *out << static_cast<int>(value.type) << ':' << value.bits << ':' << value.text.substr(0, 20);
}
using Samples = std::map<model::Timestamp, OwnedValue>;

// Keeps what a scan gives, and what is wrong with the way it is given.
class Collector final : public PieceSink {
 public:
  explicit Collector(std::size_t series, bool takes_stats = false, bool takes_markers = false)
      : takes_(takes_stats), takes_markers_(takes_markers), samples_(series), stats_(series) {}

  [[nodiscard]] bool takes_markers() const override { return takes_markers_; }
  bool takes_stats(const ChunkStats&) override { return takes_; }
  void stats(const ChunkStats& stats) override {
    const MutexLock lock(mutex_);
    stats_[stats.series].push_back(stats);
  }
  Status piece(const Piece& piece) override {
    const MutexLock lock(mutex_);
    if (piece.times.empty()) fault = "an empty piece";
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (i > 0 && piece.times[i] <= piece.times[i - 1]) fault = "times do not ascend";
      model::Value value{piece.type, 0, {}};
      if (model::in_text(piece.type)) {
        value.text = piece.texts[i];
      } else if (model::is_number(piece.type)) {
        value.bits = piece.bits[i];
      }
      if (!samples_[piece.series].emplace(piece.times[i], OwnedValue(value)).second) fault = "a time came twice";
    }
    return answer;
  }

  // After the scan, without the mutex: there is one thread.
  [[nodiscard]] const Samples& samples(std::size_t series = 0) const VARVE_NO_THREAD_ANALYSIS {
    return samples_[series];
  }
  [[nodiscard]] const std::vector<ChunkStats>& chunk_stats(std::size_t series = 0) const VARVE_NO_THREAD_ANALYSIS {
    return stats_[series];
  }
  std::string fault;  // empty: none
  Status answer;      // to every piece

 private:
  const bool takes_;
  const bool takes_markers_;
  Mutex mutex_;
  std::vector<Samples> samples_ VARVE_GUARDED_BY(mutex_);
  std::vector<std::vector<ChunkStats>> stats_ VARVE_GUARDED_BY(mutex_);
};

// A group with its definition, to be put into.
struct Group {
  model::LineGroup line;
  std::vector<std::string> metrics;
  model::Tags tags;
  std::string tenant;
  std::uint32_t ttl_s = 0;
  int run = 0;                   // of the engine, in which it was defined
  std::uint64_t generation = 0;  // SeriesStore::group_generation() then
};

class Fixture {
 public:
  explicit Fixture(Engine& engine) : engine_(engine) {}

  model::TenantId tenant(std::string_view name = "t") { return *engine_.series().tenant(name); }

  // Lives as long as the fixture. Thread-safe.
  Group* group(std::vector<std::string> metrics, const model::Tags& tags = {{"host", "a"}},
               std::string_view tenant_name = "t", std::uint32_t ttl_s = 0) {
    Group* group = nullptr;
    {
      const MutexLock lock(groups_mutex_);
      group = &groups_.emplace_back();
    }
    group->metrics = std::move(metrics);
    group->tags = tags;
    group->tenant = tenant_name;
    group->ttl_s = ttl_s;
    define(*group);
    return group;
  }
  void restart() {
    engine_.restart();
    ++run_;
  }
  // Numbers of groups are those of one run of the engine, and of one generation: after that it is defined again.
  const model::LineGroup& line(const Group& group) {
    if (group.run != run_ || group.generation != engine_.series().group_generation()) {
      const MutexLock lock(groups_mutex_);
      for (Group& own : groups_) {
        if (&own == &group) define(own);
      }
    }
    return group.line;
  }

  Status append(const model::RowBatch& batch) {
    return wait_for([&](SampleStore::AppendDone done) { engine_.samples().append(batch, std::move(done)); });
  }

  Status put(const Group& group, model::Timestamp time, std::vector<model::Value> values) {
    model::RowBatch batch;
    batch.add(line(group), time, values);
    return append(batch);
  }

  Status mark(const Group& group, model::Timestamp time) {
    model::RowBatch batch;
    batch.add_stale_markers(line(group), time);
    return append(batch);
  }

  std::vector<model::SeriesId> find(std::string_view metric, std::string_view tenant_name = "t") {
    return *engine_.series().select(tenant(tenant_name), metric, {});
  }

  // Samples of the metric's only series.
  Samples read(std::string_view metric, model::TimeRange range = {}, std::string_view tenant_name = "t") {
    return read_as(metric, range, tenant_name, false);
  }
  Samples read_with_markers(std::string_view metric, model::TimeRange range = {}) {
    return read_as(metric, range, "t", true);
  }

 private:
  Samples read_as(std::string_view metric, model::TimeRange range, std::string_view tenant_name, bool markers) {
    const auto series = find(metric, tenant_name);
    if (series.empty()) return {};
    Collector sink(series.size(), false, markers);
    ScanOptions options;
    options.range = range;
    const auto status = engine_.samples().scan(tenant(tenant_name), series, options, sink);
    if (!status) return {{-1, OwnedValue(model::Value::of_string(status.error().message))}};
    if (!sink.fault.empty()) return {{-1, OwnedValue(model::Value::of_string(sink.fault))}};
    return sink.samples();
  }

  void define(Group& group) {
    const std::vector<std::string_view> views(group.metrics.begin(), group.metrics.end());
    auto sorted = model::to_views(group.tags);
    (void)model::normalize(sorted);
    group.generation = engine_.series().group_generation();
    group.line.id = *engine_.series().define_group(tenant(group.tenant), sorted, views, group.ttl_s);
    group.line.count = static_cast<std::uint16_t>(views.size());
    group.run = run_;
  }

  Engine& engine_;
  int run_ = 0;
  Mutex groups_mutex_;
  std::deque<Group> groups_ VARVE_GUARDED_BY(groups_mutex_);
};

}  // namespace varve::storage::testing
