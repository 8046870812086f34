// SPDX-License-Identifier: Apache-2.0
// Catalog: the tables of the index, with look-up and insertion of single entries. It enforces no rules: define.cc and
// replay.cc make sure that only new and complete entries are added.
//
// Everything has a dense 32-bit id. Texts and encoded tag sets are in one arena, lists in Postings; the tables are
// columns in blocks, orders of names in leaves. So a million series need a few hundred allocations, nothing is ever
// moved, and a series costs 12 bytes and its share of what it has in common with others.
//
//   series → metric → tenant          pair → key → tenant
//          → tag set → its pairs           → tag sets that have it
//          → groups                   tag set → runs of series
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codec/hash.h"
#include "codec/varint.h"
#include "index/arena.h"
#include "index/counted_from.h"
#include "index/id_table.h"
#include "index/large_metrics.h"
#include "index/postings.h"
#include "index/sorted_ids.h"
#include "index/tag_set_spans.h"
#include "model/ids.h"
#include "model/tags.h"

namespace varve::index {

class Catalog {
 public:
  // Things with names: as they came, and in the order of their names where there are more than kFewNames.
  struct NameList {
    ListRef ids = kEmptyList;
    std::uint32_t order = kNone;
  };
  static constexpr std::uint32_t kFewNames = 64;

  struct Tenant {
    std::uint32_t name;
    std::uint32_t live;   // series that are not forgotten
    std::uint32_t quiet;  // of them, got no sample for long when they were counted last
    NameList metrics;
    NameList keys;
  };
  struct Metric {
    std::uint32_t tenant;  // kNone: a gap
    std::uint32_t name;
    ListRef series;
    std::uint32_t live;  // of them
  };
  struct Key {
    std::uint32_t tenant;  // kNone: a gap
    std::uint32_t name;
    NameList pairs;
    std::uint32_t live;  // of them, in series that are not forgotten
  };
  struct Pair {
    std::uint32_t key;  // kNone: a gap
    std::uint32_t value;
    ListRef tag_sets;
    std::uint32_t live;  // of them, with series that are not forgotten
  };
  struct TagSet {
    std::uint32_t pairs;     // in `texts`: varints of pair ids, ascending by the bytes of their keys
    std::uint32_t last_run;  // kNone: no series yet
    std::uint32_t count;     // series; kNone: a gap
    std::uint32_t live;      // of them, not forgotten
  };
  // Series of one tag set that were defined together.
  struct Run {
    std::uint32_t first;
    std::uint32_t count;
    std::uint32_t before;  // the run before it of the same tag set, or kNone
  };
  struct Series {
    std::uint32_t metric;  // kNone: a gap
    std::uint32_t tag_set;
    ListRef groups;
  };
  struct Group {
    std::uint32_t series;  // in `group_series_`
    std::uint32_t count;   // 0: a gap
  };
  // A group whose samples have a TTL: stored apart, because few groups have one.
  struct MortalGroup {
    std::uint32_t group;
    std::uint32_t ttl_s;
  };
  explicit Catalog(const CountedFrom& counted_from = {});

  // --- find: the id, or kNone
  [[nodiscard]] std::uint32_t find_tenant(std::string_view name) const;
  [[nodiscard]] std::uint32_t find_metric(std::uint32_t tenant, std::string_view name) const;
  [[nodiscard]] std::uint32_t find_key(std::uint32_t tenant, std::string_view name) const;
  [[nodiscard]] std::uint32_t find_pair(std::uint32_t key, std::string_view value) const;
  [[nodiscard]] std::uint32_t find_tag_set(std::string_view coded_pairs) const;
  [[nodiscard]] std::uint32_t find_group(std::span<const model::SeriesId> series, std::uint32_t ttl_s) const;
  // Of a tenant's metric.
  [[nodiscard]] std::uint32_t find_series(std::uint32_t metric, std::uint32_t tag_set) const;

  // --- add: the next id; the content is new and there is room. Out of memory, nothing is added.
  std::uint32_t add_tenant(std::string_view name);
  std::uint32_t add_metric(std::uint32_t tenant, std::string_view name);
  std::uint32_t add_key(std::uint32_t tenant, std::string_view name);
  std::uint32_t add_pair(std::uint32_t key, std::string_view value);
  std::uint32_t add_tag_set(std::string_view coded_pairs);
  std::uint32_t add_series(std::uint32_t metric, std::uint32_t tag_set);
  std::uint32_t add_group(std::span<const model::SeriesId> series, std::uint32_t ttl_s);

  // --- gaps (gaps.cc): ids of which no more is known than that they were used. They are never found, and never come
  // back; series pass for forgotten.
  void add_metric_gap(std::uint32_t count);
  void add_key_gap(std::uint32_t count);
  void add_pair_gap(std::uint32_t count);
  void add_tag_set_gap(std::uint32_t count);
  void add_series_gap(std::uint32_t count);
  void add_group_gap(std::uint32_t count);
  [[nodiscard]] bool is_metric_gap(std::uint32_t id) const { return metrics[id].tenant == kNone; }
  [[nodiscard]] bool is_key_gap(std::uint32_t id) const { return keys[id].tenant == kNone; }
  [[nodiscard]] bool is_pair_gap(std::uint32_t id) const { return pairs[id].key == kNone; }
  [[nodiscard]] bool is_tag_set_gap(std::uint32_t id) const { return tag_sets[id].count == kNone; }
  [[nodiscard]] bool is_gap(std::uint32_t id) const { return series[id].metric == kNone; }  // of series
  [[nodiscard]] bool is_group_gap(std::uint32_t id) const { return groups[id].count == 0; }
  [[nodiscard]] std::uint32_t gaps() const { return gaps_; }                    // ids of series
  [[nodiscard]] std::uint32_t left_in_place() const { return left_in_place_; }  // of them, whose memory is in use
  // Does nothing that is left refer to it? Of a series: it is forgotten, too; a group has no TTL.
  [[nodiscard]] bool is_metric_unused(std::uint32_t id) const;
  [[nodiscard]] bool is_key_unused(std::uint32_t id) const;
  [[nodiscard]] bool is_pair_unused(std::uint32_t id) const;
  [[nodiscard]] bool is_tag_set_unused(std::uint32_t id) const;
  [[nodiscard]] bool is_series_unused(std::uint32_t id) const;
  [[nodiscard]] bool is_group_unused(std::uint32_t id) const;
  // What is unused becomes a gap. Its memory stays in use, and lists of names and of what has a name still hold its id.
  void leave_out_metric(std::uint32_t id) { metrics[id].tenant = kNone; }
  void leave_out_key(std::uint32_t id) { keys[id].tenant = kNone; }
  void leave_out_pair(std::uint32_t id) { pairs[id].key = kNone; }
  void leave_out_tag_set(std::uint32_t id) { tag_sets[id].count = kNone; }
  void leave_out_series(std::uint32_t id);
  void leave_out_group(std::uint32_t id) { groups[id].count = 0; }

  // A dropped series keeps its entry, but is neither counted nor listed.
  [[nodiscard]] bool is_forgotten(std::uint32_t id) const { return id < forgotten_.size() && forgotten_[id]; }
  void forget(std::uint32_t id);  // is not forgotten
  void revive(std::uint32_t id);  // is forgotten
  [[nodiscard]] std::uint32_t live_series() const { return live_series_; }

  // Whether `things` more things with `bytes` of text in all can be added.
  [[nodiscard]] bool has_room(std::size_t things, std::size_t bytes) const;

  // --- read
  [[nodiscard]] std::string_view text(std::uint32_t place) const { return texts_.at(place); }
  [[nodiscard]] std::string_view name_of(const Metric& metric) const { return text(metric.name); }
  [[nodiscard]] std::string_view name_of(const Key& key) const { return text(key.name); }
  [[nodiscard]] std::string_view name_of(const Pair& pair) const { return text(pair.value); }
  [[nodiscard]] const SortedIds& order(std::uint32_t number) const { return *orders_[number]; }
  // kNone: of a gap.
  [[nodiscard]] std::uint32_t tenant_of(std::uint32_t id) const {
    return is_gap(id) ? kNone : metrics[series[id].metric].tenant;
  }
  [[nodiscard]] std::span<const model::SeriesId> series_of(const Group& group) const {
    if (group.count == 0) return {};  // a gap: there may be nothing at all
    return {reinterpret_cast<const model::SeriesId*>(group_series_.at(group.series)), group.count};
  }
  // 0: none.
  [[nodiscard]] std::uint32_t ttl_of(std::uint32_t group) const {
    if (mortal_groups.empty()) return 0;
    const auto at = std::ranges::lower_bound(mortal_groups, group, {}, &MortalGroup::group);
    return at == mortal_groups.end() || at->group != group ? 0 : at->ttl_s;
  }
  void tags(std::uint32_t tag_set, model::TagViews& out) const;  // cleared first

  // What is counted of large metrics, for wide pairs.
  [[nodiscard]] const CountedFrom& counted_from() const { return counted_from_; }
  [[nodiscard]] bool is_large(std::uint32_t metric) const {
    return postings.count(metrics[metric].series) >= counted_from_.series;
  }
  [[nodiscard]] bool is_wide(std::uint32_t pair) const {
    return postings.count(pairs[pair].tag_sets) >= counted_from_.tag_sets;
  }
  // Of each 1024 series, and of each 1024 groups.
  [[nodiscard]] const TagSetSpans& series_spans() const { return series_spans_; }
  [[nodiscard]] const TagSetSpans& group_spans() const { return group_spans_; }
  [[nodiscard]] const LargeMetric& large(std::uint32_t metric) const { return large_.of(metric); }

  // Calls f(series) for each of the tag set, forgotten or not, later runs first, until it says false.
  template <class F>
  void walk_series(std::uint32_t tag_set, F&& f) const {
    for (std::uint32_t run = tag_sets[tag_set].last_run; run != kNone; run = runs[run].before) {
      const auto& [first, count, before] = runs[run];
      for (std::uint32_t id = first; id < first + count; ++id) {
        if (!f(id)) return;
      }
    }
  }

  // Calls f(pair id) in order of the keys until it says false.
  template <class F>
  void for_each_pair(std::uint32_t tag_set, F&& f) const {
    for_each_coded(text(tag_sets[tag_set].pairs), f);
  }
  template <class F>
  static void for_each_coded(std::string_view coded, F&& f) {
    const auto* at = reinterpret_cast<const std::byte*>(coded.data());
    const auto* const end = at + coded.size();
    while (at != end) {
      std::uint64_t pair;
      at = codec::get_varint(at, end, pair);
      if (!f(static_cast<std::uint32_t>(pair))) return;
    }
  }

  [[nodiscard]] std::size_t memory_bytes() const;

  // Public for reading; only add_…() writes.
  Column<Tenant> tenants;
  Column<Metric> metrics;
  Column<Key> keys;
  Column<Pair> pairs;
  Column<TagSet> tag_sets;
  Column<Run> runs;
  Column<Series> series;
  Column<Group> groups;
  std::vector<MortalGroup> mortal_groups;  // ascending
  Postings postings;

 private:
  [[nodiscard]] std::uint32_t slot(std::string_view bytes, std::uint32_t owner) const {
    return static_cast<std::uint32_t>(codec::hash64(bytes, seed_ + owner * 0x9e3779b97f4a7c15));
  }

  // A tag set of so many series is looked through; the series of larger ones are in series_ids_.
  static constexpr std::uint32_t kFewSeries = 32;

  [[nodiscard]] std::uint32_t series_slot(std::uint32_t metric, std::uint32_t tag_set) const {
    const std::array<std::uint32_t, 2> both{metric, tag_set};
    return slot({reinterpret_cast<const char*>(both.data()), sizeof both}, 0);
  }
  // Puts the series of a tag set, which is no longer a small one, into series_ids_.
  void list_series(std::uint32_t tag_set);
  void count_live(std::uint32_t id);

  // Makes room for one more name in the list; returns where it belongs. add_name() does not throw then.
  template <class T>
  SortedIds::Place reserve_name(NameList& list, const Column<T>& of, std::string_view name);
  void add_name(NameList& list, const SortedIds::Place& place, std::uint32_t id);
  template <class T>
  void put_in_order(NameList& list, const Column<T>& of);

  Strings texts_;
  Arena group_series_;
  IdTable tenant_ids_;
  IdTable metric_ids_;
  IdTable key_ids_;
  IdTable pair_ids_;
  IdTable tag_set_ids_;
  IdTable series_ids_;  // of tag sets with more than kFewSeries
  IdTable group_ids_;
  std::vector<std::unique_ptr<SortedIds>> orders_;  // of long lists of names
  std::vector<bool> forgotten_;                     // by series; up to the last one that was ever forgotten
  LargeMetrics large_;
  TagSetSpans series_spans_;
  TagSetSpans group_spans_;
  CountedFrom counted_from_;
  std::uint32_t live_series_ = 0;
  std::uint32_t gaps_ = 0;
  std::uint32_t left_in_place_ = 0;
  std::uint64_t seed_;
};

}  // namespace varve::index
