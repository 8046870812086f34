// SPDX-License-Identifier: Apache-2.0
#include "storage/testing/memory_store.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "model/time_ranges.h"

namespace varve::storage::testing {

using model::SeriesId;
using model::TenantId;
using model::ValueType;

void MemoryStore::put(std::string_view tenant_name, std::string_view metric, model::TagViews tags,
                      model::Timestamp time, const model::Value& value) {
  check(model::normalize(tags).has_value(), "a test puts good tags");
  const auto group = define_group(*tenant(tenant_name), tags, {&metric, 1});
  check(group.has_value(), "a test stays inside of the limits");
  const MutexLock lock(mutex_);
  samples_[index_.group_series(*group)[0]][0][time] = {value.type, value.bits, std::string(value.text), ++written_};
}

Status MemoryStore::there() const {
  if (away_) return fail(Code::unavailable, "the index is away");
  return {};
}

Result<TenantId> MemoryStore::tenant(std::string_view name) {
  const MutexLock lock(mutex_);
  return index_.tenant(name, definitions_);
}

Result<std::optional<TenantId>> MemoryStore::find_tenant(std::string_view name) const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  return index_.find_tenant(name);
}

Result<std::vector<std::string>> MemoryStore::tenants() const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  return index_.tenants();
}

Result<model::GroupId> MemoryStore::define_group(TenantId tenant, const model::TagViews& tags,
                                                 std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  const MutexLock lock(mutex_);
  auto group = index_.define_group(tenant, tags, metrics, std::size_t{1} << 30, definitions_, ttl_s);
  row_check_.catch_up(index_);
  return group;
}

index::GroupNames MemoryStore::group_names(model::GroupId group) const {
  const ReaderLock lock(mutex_);
  return index_.group_names(group);
}

Result<std::vector<SeriesId>> MemoryStore::select(TenantId tenant, std::string_view metric,
                                                  const index::Matchers& matchers, model::TimeRange,
                                                  const GoOn&) const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  return index_.select(tenant, metric, matchers);
}

std::vector<model::Tags> MemoryStore::tags(TenantId, std::span<const SeriesId> series) const {
  const ReaderLock lock(mutex_);
  std::vector<model::Tags> out;
  for (const SeriesId id : series) out.push_back(index_.tags(id));
  return out;
}

Result<std::vector<std::string>> MemoryStore::metric_names(TenantId tenant, const index::NamePage& page) const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  return index_.metric_names(tenant, page);
}

Result<std::vector<std::string>> MemoryStore::tag_keys(TenantId tenant, std::string_view metric,
                                                       const index::NamePage& page) const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  return index_.tag_keys(tenant, metric, page);
}

Result<std::vector<std::string>> MemoryStore::tag_values(TenantId tenant, std::string_view metric, std::string_view key,
                                                         const index::NamePage& page) const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  return index_.tag_values(tenant, metric, key, page);
}

Result<std::vector<index::TagCount>> MemoryStore::tag_counts(TenantId tenant, std::string_view metric,
                                                             const index::TagPage& page) const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  return index_.tag_counts(tenant, metric, page);
}

Result<std::vector<index::TaggedSeries>> MemoryStore::tagged_series(TenantId tenant, std::string_view metric,
                                                                    const index::TagPage& page) const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  return index_.tagged_series(tenant, metric, page);
}

Result<std::vector<SeriesStats>> MemoryStore::series_stats(TenantId tenant, std::span<const SeriesId> series) const {
  VARVE_RETURN_IF_ERROR(there());
  const ReaderLock lock(mutex_);
  std::vector<SeriesStats> out(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (index_.series_tenant(series[i]) != tenant) continue;
    Samples room;
    for (const auto& [time, stored] : alive(series[i], room)) {
      if (stored.type != ValueType::stale_marker) out[i].add({time, time, 1, SeriesStats::bit_of(stored.type)});
    }
  }
  return out;
}

void MemoryStore::forget_empty(TenantId tenant, std::span<const SeriesId> series) {
  const MutexLock lock(mutex_);
  for (const SeriesId id : series) {
    Samples room;
    const bool empty = std::ranges::all_of(
        alive(id, room), [](const auto& sample) { return sample.second.type == ValueType::stale_marker; });
    if (empty && index_.series_tenant(id) == tenant) index_.forget({&id, 1}, definitions_);
  }
}

std::size_t MemoryStore::series_count() const {
  const ReaderLock lock(mutex_);
  return index_.series_count();
}

std::size_t MemoryStore::series_count(TenantId tenant) const {
  const ReaderLock lock(mutex_);
  return index_.series_count(tenant);
}

void MemoryStore::append(const model::RowBatch& batch, AppendDone done) {
  append_fitting(
      row_check_, batch, std::move(done),
      [this](const model::RowBatch& fitting, const AppendDone& fitting_done) { put(fitting, fitting_done); });
}

void MemoryStore::put(const model::RowBatch& batch, const AppendDone& done) {
  {
    const MutexLock lock(mutex_);
    const std::size_t bytes = batch.bytes().size();
    for (std::size_t at = 0; at < bytes; at += batch.row_at(at).bytes()) {
      if (batch.row_at(at).samples() != 0) index_.revive(batch.row_at(at).group(), definitions_);
    }
    for (std::size_t at = 0; at < bytes; at += batch.row_at(at).bytes()) put(batch.row_at(at));
  }
  done({});
}

void MemoryStore::put(model::RowView row) {
  const auto series = index_.group_series(row.group());
  const auto is_gone = [this](SeriesId one) VARVE_REQUIRES(mutex_) { return index_.is_forgotten(one); };
  if (std::ranges::all_of(series, is_gone)) return;  // markers alone
  index_.revive(row.group(), definitions_);
  const std::uint32_t ttl_s = index_.group_ttl_s(row.group());
  for (unsigned i = 0; i < row.count(); ++i) {
    const model::Value value = row.value(i);
    samples_[series[i]][ttl_s][row.time()] = {value.type, value.bits, std::string(value.text), ++written_};
  }
}

Status MemoryStore::scan(TenantId tenant, std::span<const SeriesId> series, const ScanOptions& options,
                         PieceSink& sink) {
  ++scans_;
  if (scans_left_-- <= 0) return fail(Code::io, "the disk is gone");
  const ReaderLock lock(mutex_);
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (options.cancelled != nullptr && *options.cancelled) return fail(Code::cancelled, "nobody waits any more");
    if (clock_ != nullptr && options.deadline_steady_ns != 0 && clock_->steady_ns() > options.deadline_steady_ns) {
      return fail(Code::timeout, "it takes too long");
    }
    if (index_.series_tenant(series[i]) != tenant) continue;
    Samples room;
    VARVE_RETURN_IF_ERROR(scan_counter(i, alive(series[i], room), options, sink));
  }
  return {};
}

Result<EraseReport> MemoryStore::erase(TenantId tenant, std::span<const SeriesId> series, model::TimeRange range,
                                       const std::atomic<bool>* cancelled) {
  if (cancelled != nullptr && *cancelled) return fail(Code::cancelled, "nobody waits any more");
  const MutexLock lock(mutex_);
  EraseReport report;
  for (const SeriesId id : series) {
    if (range.empty() || index_.series_tenant(id) != tenant) continue;
    for (auto& [ttl_s, samples] : samples_[id]) {
      std::size_t erased = 0;
      std::erase_if(samples, [&](const auto& sample) {
        if (!range.contains(sample.first)) return false;
        erased += sample.second.type == ValueType::stale_marker ? 0 : 1;
        return true;
      });
      report.samples += erased;
      report.slots += erased > 0 ? 1 : 0;
    }
  }
  return report;
}

const MemoryStore::Samples& MemoryStore::alive(SeriesId series, Samples& room) const {
  const auto found = samples_.find(series);
  if (found == samples_.end()) return room;
  const auto& by_ttl = found->second;
  if (by_ttl.size() == 1 && by_ttl.begin()->first == 0) return by_ttl.begin()->second;
  for (const auto& [ttl_s, samples] : by_ttl) {
    const bool mortal = ttl_s != 0 && clock_ != nullptr;
    const model::Timestamp from = mortal ? clock_->now_ms() - std::int64_t{ttl_s} * 1000 : model::kTimestampMin;
    for (auto at = samples.lower_bound(from); at != samples.end(); ++at) {
      Stored& stored = room.try_emplace(at->first, at->second).first->second;
      if (stored.written < at->second.written) stored = at->second;
    }
  }
  return room;
}

namespace {

template <counter::Increase I>
counter::AnySummary summary_of(const std::vector<std::pair<model::Timestamp, I>>& samples,
                               const counter::Declaration& declared) {
  std::optional<counter::Summary<I>> summary;
  for (const auto& [time, value] : samples) {
    const counter::Rules rules = counter::rules_at(declared, time);
    if (summary) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      counter::extend(*summary, {&time, 1}, {&bits, 1}, rules);
    } else {
      summary = counter::summary_of<I>({declared.base_ms, rules}, {time, value});
    }
  }
  return *summary;
}

}  // namespace

Status MemoryStore::scan_counter(std::size_t position, const Samples& samples, const ScanOptions& options,
                                 PieceSink& sink) {
  const auto& [range, width_ms, declared] = rolled_up_;
  const model::TimeRange both = model::both(options.range, range);
  const model::TimeRange inner{model::round_up(both.first, width_ms), model::window_start(both.last, width_ms)};
  ScanOptions rest = options;
  if (inner.empty() || !sink.window_fields(position).counters || !sink.takes_windows(position, inner, width_ms)) {
    return scan_series(position, samples, options, sink);
  }
  std::vector<counter::Stretch> stretches;
  std::vector<std::uint64_t> counts;
  std::vector<counter::AnySummary> summaries;
  std::vector<model::TimeRange> others = {{inner.last, options.range.last}, {options.range.first, inner.first}};
  for (model::Timestamp start = inner.first; start < inner.last; start += width_ms) {
    std::vector<std::pair<model::Timestamp, std::uint64_t>> longs;
    std::vector<std::pair<model::Timestamp, double>> doubles;
    bool texts = false;
    for (auto at = samples.lower_bound(start); at != samples.end() && at->first < start + width_ms; ++at) {
      const auto& [time, stored] = *at;
      texts = texts || model::in_text(stored.type);
      if (stored.type == ValueType::long_) longs.emplace_back(time, stored.bits);
      const double real = stored.type == ValueType::long_ ? static_cast<double>(static_cast<std::int64_t>(stored.bits))
                                                          : std::bit_cast<double>(stored.bits);
      if (model::is_number(stored.type) && std::isfinite(real)) doubles.emplace_back(time, real);
    }
    if (doubles.empty() && !texts) continue;
    std::optional<counter::AnySummary> summary;
    if (!texts && longs.size() == doubles.size()) summary = summary_of(longs, declared);
    if (!texts && longs.size() != doubles.size()) summary = summary_of(doubles, declared);
    if (summary && sink.takes_counter(position, stretch_of(*summary))) {
      stretches.push_back(stretch_of(*summary));
      counts.push_back(doubles.size());
      if (sink.window_fields(position).summaries) summaries.push_back(*summary);
    } else {
      others.push_back({start, start + width_ms});
    }
  }
  windows_given_ += stretches.size();
  if (!stretches.empty())
    VARVE_RETURN_IF_ERROR(sink.counter_columns({position, width_ms, stretches, counts, summaries}));
  for (const model::TimeRange& other : others) {
    rest.range = other;
    VARVE_RETURN_IF_ERROR(scan_series(position, samples, rest, sink));
  }
  return {};
}

Status MemoryStore::scan_series(std::size_t position, const Samples& samples, const ScanOptions& options,
                                PieceSink& sink) {
  std::vector<const Samples::value_type*> run;
  for (auto at = samples.lower_bound(options.range.first); at != samples.end() && at->first < options.range.last;
       ++at) {
    if (at->second.type == ValueType::stale_marker && !sink.takes_markers()) continue;
    if (!run.empty() && (run.size() == piece_max_ || run.back()->second.type != at->second.type)) {
      VARVE_RETURN_IF_ERROR(give(position, run, sink));
      run.clear();
    }
    run.push_back(&*at);
  }
  return run.empty() ? Status{} : give(position, run, sink);
}

Status MemoryStore::give(std::size_t position, std::span<const Samples::value_type* const> run, PieceSink& sink) {
  Piece piece{.series = position, .type = run[0]->second.type, .times = {}, .bits = {}, .texts = {}};
  std::vector<model::Timestamp> times;
  std::vector<std::uint64_t> bits;
  std::vector<std::string_view> texts;
  ChunkStats stats{position, piece.type, run.front()->first, run.back()->first, run.size(), INFINITY, -INFINITY, 0};
  for (const auto* sample : run) {
    const Stored& stored = sample->second;
    times.push_back(sample->first);
    if (model::in_text(piece.type)) {
      texts.emplace_back(stored.text);
      continue;
    }
    bits.push_back(stored.bits);
    const double v = piece.type == ValueType::long_ ? static_cast<double>(static_cast<std::int64_t>(stored.bits))
                                                    : std::bit_cast<double>(stored.bits);
    stats.min = std::min(stats.min, v);
    stats.max = std::max(stats.max, v);
    stats.sum += v;
  }
  if (model::is_number(piece.type) && !std::isnan(stats.sum) && sink.takes_stats(stats)) {
    ++stats_given_;
    sink.stats(stats);
    return {};
  }
  piece.times = times;
  piece.bits = bits;
  piece.texts = texts;
  return sink.piece(piece);
}

}  // namespace varve::storage::testing
