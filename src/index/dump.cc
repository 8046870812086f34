// SPDX-License-Identifier: Apache-2.0
// The index as definition records: all of it, or without what nothing is left of.
#include <algorithm>
#include <utility>
#include <vector>

#include "index/ranges.h"
#include "index/tables.h"

namespace varve::index {
namespace {

// Things of one kind, of which some are written, and their numbers then: without those that are not.
class Numbers {
 public:
  explicit Numbers(std::size_t count) : numbers_(count, kNone) {}
  // Was it new?
  bool keep(std::uint32_t id) { return std::exchange(numbers_[id], 0) == kNone; }
  void keep_all() { std::ranges::fill(numbers_, 0); }
  void count() {
    std::uint32_t next = 0;
    for (std::uint32_t& number : numbers_) number = number == kNone ? kNone : next++;
  }
  // kNone: it is not written.
  [[nodiscard]] std::uint32_t operator[](std::uint32_t id) const { return numbers_[id]; }

 private:
  std::vector<std::uint32_t> numbers_;
};

class Dump {
 public:
  Dump(const Catalog& catalog, std::string& out)
      : c_(catalog),
        out_(out),
        metrics_(c_.metrics.size()),
        keys_(c_.keys.size()),
        pairs_(c_.pairs.size()),
        tag_sets_(c_.tag_sets.size()),
        series_(c_.series.size()),
        groups_(c_.groups.size()) {}

  void keep_all() {
    for (Numbers* const numbers : {&metrics_, &keys_, &pairs_, &tag_sets_}) numbers->keep_all();
    for (std::uint32_t id = 0; id < c_.series.size(); ++id) series_[id] = !c_.is_gap(id);
    for (std::uint32_t id = 0; id < c_.groups.size(); ++id) groups_[id] = c_.groups[id].count > 0;
  }

  // A group is one list: with one series that is not forgotten all of its series stay. Those with a TTL stay, too: what
  // has expired may still lie in a run.
  void keep_what_is_left() {
    for (std::uint32_t id = 0; id < c_.groups.size(); ++id) {
      const auto series = c_.series_of(c_.groups[id]);
      const auto is_left = [this](model::SeriesId one) { return !c_.is_forgotten(model::to_int(one)); };
      groups_[id] = std::ranges::any_of(series, is_left) || c_.ttl_of(id) != 0;
      if (!groups_[id]) continue;
      for (const model::SeriesId one : series) series_[model::to_int(one)] = true;
    }
    for (std::uint32_t id = 0; id < c_.series.size(); ++id) {
      series_[id] = series_[id] || !c_.is_forgotten(id);
      if (!series_[id]) continue;
      metrics_.keep(c_.series[id].metric);
      if (tag_sets_.keep(c_.series[id].tag_set)) keep_pairs(c_.series[id].tag_set);
    }
  }

  void write() {
    for (Numbers* const numbers : {&metrics_, &keys_, &pairs_, &tag_sets_}) numbers->count();
    for (std::uint32_t i = 0; i < c_.tenants.size(); ++i) write_tenant(out_, i, c_.text(c_.tenants[i].name));
    write_names();
    write_tag_sets();
    write_all_series();
    write_groups();
    Ranges forgotten(out_, DefinitionKind::forget);
    for (std::uint32_t i = 0; i < c_.series.size(); ++i) {
      if (series_[i] && c_.is_forgotten(i)) forgotten.add(i);
    }
  }

 private:
  void keep_pairs(std::uint32_t tag_set) {
    c_.for_each_pair(tag_set, [this](std::uint32_t pair) {
      if (pairs_.keep(pair)) keys_.keep(c_.pairs[pair].key);
      return true;
    });
  }

  void write_names() {
    for (std::uint32_t i = 0; i < c_.metrics.size(); ++i) {
      const auto& metric = c_.metrics[i];
      if (metrics_[i] == kNone) continue;
      write_owned(out_, DefinitionKind::metric, metrics_[i], metric.tenant, c_.text(metric.name));
    }
    for (std::uint32_t i = 0; i < c_.keys.size(); ++i) {
      if (keys_[i] == kNone) continue;
      write_owned(out_, DefinitionKind::key, keys_[i], c_.keys[i].tenant, c_.text(c_.keys[i].name));
    }
    for (std::uint32_t i = 0; i < c_.pairs.size(); ++i) {
      if (pairs_[i] == kNone) continue;
      write_owned(out_, DefinitionKind::pair, pairs_[i], keys_[c_.pairs[i].key], c_.text(c_.pairs[i].value));
    }
  }

  void write_tag_sets() {
    for (std::uint32_t i = 0; i < c_.tag_sets.size(); ++i) {
      if (tag_sets_[i] == kNone) continue;
      parts_.clear();
      c_.for_each_pair(i, [&](std::uint32_t pair) {
        parts_.push_back(pairs_[pair]);
        return true;
      });
      write_tag_set(out_, tag_sets_[i], parts_);
    }
  }

  void write_all_series() {
    const std::uint32_t end = c_.series.size();
    for (std::uint32_t first = 0; first < end;) {
      std::uint32_t next = first;
      if (!series_[first]) {
        while (next < end && !series_[next]) ++next;
        write_range(out_, DefinitionKind::series_gap, first, next - first);
      } else {
        const std::uint32_t tag_set = c_.series[first].tag_set;
        const std::uint32_t tenant = c_.tenant_of(first);  // tenants share the tag set of no pairs
        parts_.clear();
        for (; next < end && series_[next] && c_.series[next].tag_set == tag_set && c_.tenant_of(next) == tenant;
             ++next) {
          parts_.push_back(metrics_[c_.series[next].metric]);
        }
        write_series(out_, first, tag_sets_[tag_set], parts_);
      }
      first = next;
    }
  }

  void write_groups() {
    Ranges gaps(out_, DefinitionKind::group_gap);
    for (std::uint32_t i = 0; i < c_.groups.size(); ++i) {
      if (!groups_[i]) {
        gaps.add(i);
        continue;
      }
      gaps.end();
      write_group(out_, i, c_.series_of(c_.groups[i]), c_.ttl_of(i));
    }
  }

  const Catalog& c_;
  std::string& out_;
  Numbers metrics_, keys_, pairs_, tag_sets_;
  std::vector<bool> series_, groups_;  // those that are written: they keep their numbers
  std::vector<std::uint32_t> parts_;
};

}  // namespace

void SeriesIndex::dump(std::string& out) const {
  Dump dump(tables_->catalog, out);
  dump.keep_all();
  dump.write();
}

void SeriesIndex::dump_what_is_left(std::string& out) const {
  Dump dump(tables_->catalog, out);
  dump.keep_what_is_left();
  dump.write();
}

}  // namespace varve::index
