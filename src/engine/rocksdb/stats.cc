// SPDX-License-Identifier: Apache-2.0
// series_stats(): what the store knows of series, of which a part may still be in the heads: that is counted there.
#include <algorithm>

#include "engine/rocksdb/store_state.h"
#include "engine/shared/stored_for.h"

namespace varve::engine::rocksdb {
namespace {

using storage::SeriesStats;

constexpr std::size_t kFragmentsUnderLock = 128;  // appends wait while their fragments are listed

// A wanted series in one of its groups.
struct Wanted {
  std::uint32_t group;
  std::uint16_t column;
  std::uint32_t series;  // position in the caller's list
};

// A group in one slot of a head.
struct Fragment {
  std::uint32_t group;
  Head::Pieces rows;
};

void list_fragments(const Head& head, std::uint32_t group, std::vector<Fragment>& out) VARVE_REQUIRES(head.mutex) {
  for (const auto* at = head.fragments(model::GroupId{group}); at != nullptr; at = at->next) {
    head.pieces(*at, out.emplace_back(Fragment{group, {}}).rows);
  }
}

class Counter {
 public:
  explicit Counter(std::vector<SeriesStats>& stats) : stats_(stats) {}

  // `wanted`: of the fragment's group.
  void count(const Fragment& fragment, std::span<const Wanted> wanted) {
    times_.clear();
    uniform_ = 0;
    types_.assign(wanted.size(), 0);
    for (const auto& rows : fragment.rows) read(rows, wanted);
    std::ranges::sort(times_);
    const auto again = std::ranges::unique(times_);
    times_.erase(again.begin(), again.end());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      const auto types = static_cast<std::uint8_t>(uniform_ | types_[i]);
      stats_[wanted[i].series].add({times_.front(), times_.back(), times_.size(), types});
    }
  }

 private:
  void read(std::span<const std::byte> rows, std::span<const Wanted> wanted) {
    const std::byte* const end = rows.data() + rows.size();
    for (const std::byte* at = rows.data(); at != end;) {
      const model::RowView row{at};
      at += row.bytes() + Head::kArrivalBytes;
      times_.push_back(row.time());
      switch (row.kind()) {
        case model::RowKind::long_: uniform_ |= SeriesStats::bit_of(model::ValueType::long_); break;
        case model::RowKind::decimal: uniform_ |= SeriesStats::bit_of(model::ValueType::double_); break;
        case model::RowKind::text: uniform_ |= SeriesStats::bit_of(model::ValueType::string); break;
        case model::RowKind::complex: uniform_ |= SeriesStats::bit_of(model::ValueType::complex); break;
        case model::RowKind::histogram: uniform_ |= SeriesStats::bit_of(model::ValueType::histogram); break;
        case model::RowKind::typed:
          for (std::size_t i = 0; i < wanted.size(); ++i) {
            types_[i] |= SeriesStats::bit_of(row.value(wanted[i].column).type);
          }
      }
    }
  }

  std::vector<SeriesStats>& stats_;
  std::vector<model::Timestamp> times_;
  unsigned uniform_ = 0;             // types of rows in which all values have one
  std::vector<std::uint8_t> types_;  // of each wanted series
};

}  // namespace

Result<std::vector<SeriesStats>> Store::series_stats(model::TenantId tenant,
                                                     std::span<const model::SeriesId> series) const {
  std::vector<SeriesStats> out(series.size());
  std::vector<Wanted> wanted;
  std::vector<model::Timestamp> alive(series.size(), model::kTimestampMax);  // since when something may be left
  const std::int64_t now_ms = state_->env.clock.now_ms();
  {
    std::vector<index::Place> places;
    const ReaderLock lock(state_->catalog.mutex);
    for (std::uint32_t i = 0; i < series.size(); ++i) {
      if (state_->catalog.index.series_tenant(series[i]) != tenant) continue;
      state_->catalog.index.places(series[i], places);
      for (const auto& place : places) {
        wanted.push_back({model::to_int(place.group), place.column, i});
        alive[i] = std::min(alive[i], shared::alive_from(place.ttl_s, now_ms));
      }
    }
  }
  std::ranges::sort(wanted, {}, &Wanted::group);
  const View now = state_->visible.now();  // of one moment: what is flushed later is still in these heads
  for (const Wanted& one : wanted) out[one.series] = now.stats->of(series[one.series]);

  Counter counter(out);
  std::vector<Fragment> fragments;
  for (std::span<const Wanted> rest(wanted); !rest.empty();) {
    fragments.clear();
    std::size_t used = 0;
    for (const Head* const head : {now.immutable.get(), now.head.get()}) {
      if (head == nullptr) continue;
      const MutexLock lock(head->mutex);
      used = 0;
      for (std::size_t groups = 0; groups < kFragmentsUnderLock && used < rest.size(); ++groups) {
        const std::uint32_t group = rest[used].group;
        list_fragments(*head, group, fragments);
        while (used < rest.size() && rest[used].group == group) ++used;
      }
    }
    const auto batch = rest.first(used);
    for (const Fragment& fragment : fragments) {
      const auto [first, last] = std::ranges::equal_range(batch, fragment.group, {}, &Wanted::group);
      counter.count(fragment, {first, last});
    }
    rest = rest.subspan(used);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i].since(alive[i]);
  return out;
}

Result<std::vector<index::TagCount>> Store::tag_counts(model::TenantId tenant, std::string_view metric,
                                                       const index::TagPage& page) const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.tag_counts(tenant, metric, page);
}

Result<std::vector<index::TaggedSeries>> Store::tagged_series(model::TenantId tenant, std::string_view metric,
                                                              const index::TagPage& page) const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.tagged_series(tenant, metric, page);
}

std::uint64_t Store::series_defined() const {
  const ReaderLock lock(state_->catalog.mutex);
  return state_->catalog.index.series_end();
}

}  // namespace varve::engine::rocksdb
