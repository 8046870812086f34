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

// Adds the fragments of a head's pages.
class HeadAdder {
 public:
  HeadAdder(const Head& head, const Catalog& catalog) : head_(head), catalog_(catalog) {}

  std::vector<MetricSum> page(std::uint32_t number) {
    const std::uint32_t end = (number + 1) * Head::kPageGroups;
    for (std::uint32_t from = number * Head::kPageGroups; list(from, end);) add();
    return sums_.take();
  }

 private:
  // Those of the next groups; false: there are no more.
  bool list(std::uint32_t& from, std::uint32_t end) {
    fragments_.clear();
    const MutexLock lock(head_.mutex);
    if (!head_.next_groups(from, end, kGroupsUnderLock, groups_)) return false;
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

HeadSums::Pages HeadSums::known(const std::shared_ptr<const Head>& head) {
  const MutexLock lock(mutex_);
  for (const Known& one : known_) {
    if (!one.head.owner_before(head) && !head.owner_before(one.head)) return one.pages;
  }
  return {};
}

void HeadSums::keep(const std::shared_ptr<const Head>& head, Pages pages) {
  const MutexLock lock(mutex_);
  Known& last = known_[0];
  if (last.head.owner_before(head) || head.owner_before(last.head)) std::swap(known_[0], known_[1]);
  known_[0] = {head, std::move(pages)};
}

void HeadSums::add_to(MetricAdder& out, const std::shared_ptr<const Head>& head, const Catalog& catalog) {
  const std::vector<std::uint64_t> rows = head->page_rows();  // what is appended from here on makes sums old
  Pages pages = known(head);
  pages.resize(std::max(pages.size(), rows.size()));
  HeadAdder adder(*head, catalog);
  bool news = false;
  for (std::uint32_t number = 0; number < rows.size(); ++number) {
    if (rows[number] == 0) continue;
    std::shared_ptr<const Page> page = pages[number];
    if (page == nullptr || page->rows != rows[number]) {
      page = std::make_shared<const Page>(Page{rows[number], adder.page(number)});
      // As of pages of stats: what has very many metrics is added up each time.
      pages[number] = page->sums.size() > PageSums::kMetricsMax ? nullptr : page;
      news = true;
    }
    for (const MetricSum& sum : page->sums) out.add(sum.metric, sum.stats);
  }
  if (news) keep(head, std::move(pages));
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
    if (head != nullptr) state_->head_sums.add_to(sums, head, state_->catalog);
  }
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (numbers[i]) out[i].stats = sums.of(*numbers[i]);
  }
  return out;
}

}  // namespace varve::engine::rocksdb
