// SPDX-License-Identifier: Apache-2.0
// metric_stats(): what is known of metrics of very many series, from sums: of pages of series' stats, and of the heads.
#include <algorithm>
#include <numeric>

#include "engine/rocksdb/head/fragment_stats.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

using storage::MetricStats;

constexpr std::uint32_t kPagesUnderLock = 4;  // definitions wait while they are added up
// Below so many series, or so many for each page of a thousand, it is cheaper to look at each.
constexpr std::size_t kSeriesMin = 4096;
constexpr std::size_t kSeriesAPage = 8;

// Adds the fragments of a head.
class HeadAdder {
 public:
  HeadAdder(const Head& head, const Catalog& catalog) : head_(head), catalog_(catalog) {}

  std::vector<MetricSum> run() {
    for (std::uint32_t from = 0; list(from);) add();
    return sums_.take();
  }

 private:
  // Those of the next groups; false: there are no more.
  bool list(std::uint32_t& from) {
    fragments_.clear();
    const MutexLock lock(head_.mutex);
    if (!head_.next_groups(from, kGroupsUnderLock, groups_)) return false;
    for (const std::uint32_t group : groups_) list_fragments(head_, group, fragments_);
    return true;
  }

  // Rows are read without the lock.
  void add() {
    series_.clear();
    ends_.clear();
    counted_.clear();
    for_each_in_pieces(catalog_.mutex, fragments_.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog_.mutex) {
      const auto series = catalog_.index.group_series(model::GroupId{fragments_[i].group});
      series_.insert(series_.end(), series.begin(), series.end());
      ends_.push_back(series_.size());
    });
    for (std::size_t f = 0, first = 0; f < fragments_.size(); first = ends_[f++]) {
      columns_.resize(ends_[f] - first);
      std::iota(columns_.begin(), columns_.end(), std::uint16_t{0});
      counter_.count(fragments_[f], columns_);
      for (std::size_t i = 0; i < columns_.size(); ++i) counted_.emplace_back(series_[first + i], counter_.of(i));
    }
    for_each_in_pieces(catalog_.mutex, counted_.size(), [&](std::size_t i) VARVE_REQUIRES_SHARED(catalog_.mutex) {
      sums_.add(catalog_.index.metric_number(counted_[i].first), counted_[i].second);
    });
  }

  const Head& head_;
  const Catalog& catalog_;
  std::vector<std::uint32_t> groups_;
  std::vector<HeadFragment> fragments_;
  std::vector<model::SeriesId> series_;                                    // of all
  std::vector<std::size_t> ends_;                                          // of the series of each
  std::vector<std::pair<model::SeriesId, storage::SeriesStats>> counted_;  // of all of them
  std::vector<std::uint16_t> columns_;
  FragmentStats counter_;
  MetricAdder sums_;
};

void add_pages(MetricAdder& out, const StatsTable& stats, const Catalog& catalog) {
  MetricAdder scratch;
  for (std::uint32_t first = 0; first < stats.page_count(); first += kPagesUnderLock) {
    const ReaderLock lock(catalog.mutex);
    const auto end = std::min(stats.page_count(), first + kPagesUnderLock);
    for (std::uint32_t number = first; number < end; ++number) {
      if (const StatsPage* const page = stats.page(number)) {
        stats.sums(number).add_to(out, scratch, *page, number, catalog.index);
      }
    }
  }
}

}  // namespace

HeadSums::Sums HeadSums::of(const std::shared_ptr<const Head>& head, const Catalog& catalog) {
  const auto is_of = [&](const Known& known) {
    return !known.head.owner_before(head) && !head.owner_before(known.head);
  };
  const std::uint64_t rows = head->rows();  // what is appended from here on makes the sums old
  {
    const MutexLock lock(mutex_);
    const auto* const known = std::ranges::find_if(known_, is_of);
    if (known != known_.end() && known->rows == rows) return known->sums;
  }
  auto sums = std::make_shared<const std::vector<MetricSum>>(HeadAdder(*head, catalog).run());
  const MutexLock lock(mutex_);
  if (!is_of(known_[0])) std::swap(known_[0], known_[1]);
  known_[0] = {head, rows, sums};
  return sums;
}

std::optional<std::vector<MetricStats>> Store::metric_stats(model::TenantId tenant,
                                                            std::span<const std::string> metrics) const {
  std::vector<MetricStats> out(metrics.size());
  std::vector<std::optional<std::uint32_t>> numbers;
  const View now = state_->visible.now();  // of one moment: what is flushed later is still in these heads
  {
    const ReaderLock lock(state_->catalog.mutex);
    if (state_->catalog.has_early_ends()) return std::nullopt;  // what has expired must not be in the sums
    std::size_t series = 0;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      numbers.push_back(state_->catalog.index.find_metric(tenant, metrics[i]));
      if (numbers[i]) series += out[i].series = state_->catalog.index.metric_series_count(*numbers[i]);
    }
    if (series < kSeriesMin || series < now.stats->page_count() * kSeriesAPage) return std::nullopt;
  }
  MetricAdder sums;
  add_pages(sums, *now.stats, state_->catalog);
  for (const auto& head : {now.immutable, now.head}) {
    if (head == nullptr) continue;
    const auto in_head = state_->head_sums.of(head, state_->catalog);
    for (const MetricSum& sum : *in_head) sums.add(sum.metric, sum.stats);
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (numbers[i]) out[i].stats = sums.of(*numbers[i]);
  }
  return out;
}

}  // namespace varve::engine::rocksdb
