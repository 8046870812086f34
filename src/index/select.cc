// SPDX-License-Identifier: Apache-2.0
// select(): series of one metric by matchers. It starts from the shortest list that holds all answers (the series of
// the metric, or the tag sets of a few pairs) and tests what is left of the matchers on each tag set in it.
#include <algorithm>

#include "index/condition.h"
#include "index/tables.h"

namespace varve::index {
namespace {

using Ids = std::vector<std::uint32_t>;

class Selection {
 public:
  Selection(const Catalog& catalog, std::uint32_t metric, const FindSkipped& find_skipped, Pace& pace)
      : catalog_(catalog), metric_(metric), find_skipped_(find_skipped), pace_(pace) {}

  // Complete unless the pace has ended.
  std::vector<model::SeriesId> run(std::vector<Condition> conditions) {
    conditions_ = std::move(conditions);
    for (const Condition& condition : conditions_) {
      if (condition.key() == kNone && !condition.fits_without()) return {};
    }
    std::erase_if(conditions_, [](const Condition& condition) { return condition.key() == kNone; });
    if (choose_start()) {
      from_tag_sets();
    } else {
      from_metric();
    }
    return std::move(found_);
  }

 private:
  // Only a condition that needs its tag has a list of all that fit. True: start from the tag sets of pairs_.
  bool choose_start() {
    const std::size_t metric_cost = catalog_.postings.count(catalog_.metrics[metric_].series);
    std::size_t least = metric_cost;
    std::size_t chosen = conditions_.size();
    for (std::size_t i = 0; i < conditions_.size(); ++i) {
      Condition& condition = conditions_[i];
      if (condition.fits_without() || condition.listing_cost() * 4 > metric_cost + 64) continue;
      Ids pairs = condition.fitting_pairs(pace_);
      std::size_t cost = 0;
      for (const std::uint32_t pair : pairs) {
        cost += catalog_.postings.count(catalog_.pairs[pair].tag_sets);
        if (!pace_.worked(1)) return false;
      }
      cost += cost * series_a_tag_set() / 16;
      if (cost > least) continue;
      least = cost;
      chosen = i;
      pairs_ = std::move(pairs);
    }
    if (chosen == conditions_.size()) return false;
    conditions_.erase(conditions_.begin() + static_cast<std::ptrdiff_t>(chosen));
    return true;
  }

  [[nodiscard]] std::size_t series_a_tag_set() const { return catalog_.series.size() / catalog_.tag_sets.size(); }

  void from_tag_sets() {
    const auto look_at = [&](std::uint32_t tag_set) {
      if (!look_at_one_more()) return false;
      if (!is_left_out_whole(tag_set) && fits(tag_set)) add_series_of(tag_set);
      return true;
    };
    for (const std::uint32_t pair : pairs_) {
      if (!catalog_.postings.walk(catalog_.pairs[pair].tag_sets, look_at)) return;
    }
    if (!std::ranges::is_sorted(found_)) pace_.aside([this] { std::ranges::sort(found_); });
  }

  void from_metric() {
    catalog_.postings.walk(catalog_.metrics[metric_].series, [&](std::uint32_t series) {
      if (!look_at_one_more()) return false;
      if (!is_left_out(series) && fits(catalog_.series[series].tag_set)) found_.push_back(model::SeriesId{series});
      return true;
    });
  }

  // To be called for each series or tag set. False: no more of them.
  bool look_at_one_more() {
    if (!pace_.worked(1 + conditions_.size())) return false;
    if (++looked_at_ != kSkipAfter || find_skipped_ == nullptr) return true;
    pace_.aside([this] {
      skipped_ = find_skipped_();
      std::erase_if(found_, [this](model::SeriesId series) { return skipped_.contains(series); });
    });
    return true;
  }

  [[nodiscard]] bool is_left_out(std::uint32_t series) const {
    return skipped_.contains(model::SeriesId{series}) || catalog_.is_forgotten(series);
  }

  // Quickly: its runs are looked at by their ends.
  [[nodiscard]] bool is_left_out_whole(std::uint32_t tag_set) const {
    if (skipped_.empty()) return false;
    for (std::uint32_t run = catalog_.tag_sets[tag_set].last_run; run != kNone; run = catalog_.runs[run].before) {
      const auto& [first, count, before] = catalog_.runs[run];
      if (count > SkippedSeries::kPage || !skipped_.contains(model::SeriesId{first}) ||
          !skipped_.contains(model::SeriesId{first + count - 1})) {
        return false;
      }
    }
    return true;
  }

  bool fits(std::uint32_t tag_set) {
    return std::ranges::all_of(conditions_, [&](Condition& condition) {
      bool fits = condition.fits_without();
      catalog_.for_each_pair(tag_set, [&](std::uint32_t pair) {
        if (catalog_.pairs[pair].key != condition.key()) return true;
        fits = condition.fits(pair, pace_);
        return false;
      });
      return fits;
    });
  }

  // The series of the metric among those of the tag set: one at most.
  void add_series_of(std::uint32_t tag_set) {
    const std::uint32_t series = catalog_.find_series(metric_, tag_set);
    if (series != kNone && !is_left_out(series)) found_.push_back(model::SeriesId{series});
  }

  const Catalog& catalog_;
  std::uint32_t metric_;
  const FindSkipped& find_skipped_;
  Pace& pace_;
  SkippedSeries skipped_;
  std::size_t looked_at_ = 0;
  std::vector<Condition> conditions_;
  Ids pairs_;
  std::vector<model::SeriesId> found_;
};

}  // namespace

Status check_matchers(const Matchers& matchers) {
  for (const Matcher& matcher : matchers) VARVE_RETURN_IF_ERROR(ValueCondition::make(matcher));
  return {};
}

Result<std::vector<model::SeriesId>> SeriesIndex::select(model::TenantId tenant, std::string_view metric,
                                                         const Matchers& matchers, const FindSkipped& skipped,
                                                         Turns* turns) const {
  Pace pace(turns);
  std::vector<ValueCondition> values;
  VARVE_RETURN_IF_ERROR(pace.aside([&]() -> Status {
    for (const Matcher& matcher : matchers) {
      VARVE_ASSIGN_OR_RETURN(auto value, ValueCondition::make(matcher));
      values.push_back(std::move(value));
    }
    return {};
  }));
  const auto tables = tables_;  // the index may be exchanged while the lock is given up
  const Catalog& catalog = tables->catalog;
  const std::uint32_t id = catalog.find_metric(model::to_int(tenant), metric);
  if (id == kNone) return std::vector<model::SeriesId>{};
  const RegexMeter meter([&pace] { return pace.go_on(); });
  std::vector<Condition> conditions;
  for (std::size_t i = 0; i < matchers.size(); ++i) {
    conditions.emplace_back(catalog, model::to_int(tenant), matchers[i], std::move(values[i]));
  }
  auto found = Selection(catalog, id, skipped, pace).run(std::move(conditions));
  VARVE_RETURN_IF_ERROR(meter.status());
  VARVE_RETURN_IF_ERROR(pace.status());
  return found;
}

}  // namespace varve::index
