// SPDX-License-Identifier: Apache-2.0
// The index as definition records: all of it, or without what nothing is left of.
#include <algorithm>
#include <vector>

#include "base/check.h"
#include "index/pace.h"
#include "index/ranges.h"
#include "index/tables.h"

namespace varve::index {
namespace {

// Which things of one kind are written: those that are there when the dump begins, and are wanted.
class Kept {
 public:
  explicit Kept(std::size_t count) : kept_(count) {}
  // Was it new?
  bool keep(std::uint32_t id) {
    const bool is_new = !kept_[id];
    kept_[id] = true;
    return is_new;
  }
  bool operator[](std::uint32_t id) const { return kept_[id]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(kept_.size()); }

 private:
  std::vector<bool> kept_;
};

// Others may define, forget and revive while the pace lets them: what is new is not written, and what is written of
// series that were forgotten or revived is what was so at the end.
class Dump {
 public:
  Dump(const Catalog& catalog, std::string& out, Pace& pace)
      : c_(catalog),
        out_(out),
        pace_(pace),
        tenants_(c_.tenants.size()),
        metrics_(c_.metrics.size()),
        keys_(c_.keys.size()),
        pairs_(c_.pairs.size()),
        tag_sets_(c_.tag_sets.size()),
        series_(c_.series.size()),
        groups_(c_.groups.size()) {}

  void keep_all() {
    const auto keep = [this](Kept& kept, auto is_gap) {
      for (std::uint32_t id = 0; id < kept.size() && pace_.worked(1); ++id) {
        if (!(c_.*is_gap)(id)) kept.keep(id);
      }
    };
    keep(metrics_, &Catalog::is_metric_gap);
    keep(keys_, &Catalog::is_key_gap);
    keep(pairs_, &Catalog::is_pair_gap);
    keep(tag_sets_, &Catalog::is_tag_set_gap);
    keep(series_, &Catalog::is_gap);
    keep(groups_, &Catalog::is_group_gap);
  }

  // A group is one list: with one series that is not forgotten all of its series stay. Those with a TTL stay, too: what
  // has expired may still lie in a run.
  void keep_what_is_left() {
    for (std::uint32_t id = 0; id < groups_.size(); ++id) {
      const auto series = c_.series_of(c_.groups[id]);
      if (!pace_.worked(1 + series.size())) return;
      const auto is_left = [this](model::SeriesId one) { return !c_.is_forgotten(model::to_int(one)); };
      if (!std::ranges::any_of(series, is_left) && c_.ttl_of(id) == 0) continue;
      groups_.keep(id);
      for (const model::SeriesId one : series) keep_series(model::to_int(one));
    }
    // One that was revived meanwhile is not left: its group is not, and catch_up() says so.
    for (std::uint32_t id = 0; id < series_.size() && pace_.worked(1); ++id) {
      if (!c_.is_forgotten(id) && c_.series[id].groups == kEmptyList) keep_series(id);
    }
  }

  void keep_groups(const std::vector<bool>& kept) {
    check(kept.size() <= groups_.size(), "groups that there are");
    for (std::uint32_t id = 0; id < kept.size(); ++id) {
      if (!kept[id]) continue;
      const auto series = c_.series_of(c_.groups[id]);
      if (!pace_.worked(1 + series.size())) return;
      groups_.keep(id);
      for (const model::SeriesId one : series) keep_series(model::to_int(one));
    }
  }

  void write() {
    for (std::uint32_t i = 0; i < tenants_; ++i) write_tenant(out_, i, c_.text(c_.tenants[i].name));
    write_kind(metrics_, DefinitionKind::metric_gap, [this](std::uint32_t i) {
      write_owned(out_, DefinitionKind::metric, i, c_.metrics[i].tenant, c_.text(c_.metrics[i].name));
    });
    write_kind(keys_, DefinitionKind::key_gap, [this](std::uint32_t i) {
      write_owned(out_, DefinitionKind::key, i, c_.keys[i].tenant, c_.text(c_.keys[i].name));
    });
    write_kind(pairs_, DefinitionKind::pair_gap, [this](std::uint32_t i) {
      write_owned(out_, DefinitionKind::pair, i, c_.pairs[i].key, c_.text(c_.pairs[i].value));
    });
    write_kind(tag_sets_, DefinitionKind::tag_set_gap, [this](std::uint32_t i) { write_pairs_of(i); });
    write_all_series();
    write_kind(groups_, DefinitionKind::group_gap,
               [this](std::uint32_t i) { write_group(out_, i, c_.series_of(c_.groups[i]), c_.ttl_of(i)); });
    Ranges forgotten(out_, DefinitionKind::forget);
    for (std::uint32_t i = 0; i < series_.size() && pace_.worked(1); ++i) {
      if (series_[i] && c_.is_forgotten(i)) forgotten.add(i);
    }
  }

  // What refers to others before these.
  void write_left_out(std::string& out) {
    write_gaps(out, groups_, DefinitionKind::group_gap, &Catalog::is_group_gap);
    write_gaps(out, series_, DefinitionKind::series_gap, &Catalog::is_gap);
    write_gaps(out, tag_sets_, DefinitionKind::tag_set_gap, &Catalog::is_tag_set_gap);
    write_gaps(out, pairs_, DefinitionKind::pair_gap, &Catalog::is_pair_gap);
    write_gaps(out, keys_, DefinitionKind::key_gap, &Catalog::is_key_gap);
    write_gaps(out, metrics_, DefinitionKind::metric_gap, &Catalog::is_metric_gap);
  }

 private:
  void keep_series(std::uint32_t id) {
    if (!series_.keep(id)) return;
    metrics_.keep(c_.series[id].metric);
    if (!tag_sets_.keep(c_.series[id].tag_set)) return;
    c_.for_each_pair(c_.series[id].tag_set, [this](std::uint32_t pair) {
      if (pairs_.keep(pair)) keys_.keep(c_.pairs[pair].key);
      return true;
    });
  }

  template <class Write>
  void write_kind(const Kept& kept, DefinitionKind gap, Write&& write) {
    Ranges gaps(out_, gap);
    for (std::uint32_t i = 0; i < kept.size() && pace_.worked(1); ++i) {
      if (!kept[i]) {
        gaps.add(i);
        continue;
      }
      gaps.end();
      write(i);
    }
  }

  template <class IsGap>
  void write_gaps(std::string& out, const Kept& kept, DefinitionKind kind, IsGap is_gap) {
    Ranges gaps(out, kind);
    for (std::uint32_t i = 0; i < kept.size() && pace_.worked(1); ++i) {
      if (!kept[i] && !(c_.*is_gap)(i)) gaps.add(i);
    }
  }

  void write_pairs_of(std::uint32_t tag_set) {
    parts_.clear();
    c_.for_each_pair(tag_set, [this](std::uint32_t pair) {
      parts_.push_back(pair);
      return true;
    });
    write_tag_set(out_, tag_set, parts_);
  }

  void write_all_series() {
    for (std::uint32_t first = 0, next = 0; first < series_.size(); first = next) {
      if (!series_[first]) {
        while (next < series_.size() && !series_[next]) ++next;
        write_range(out_, DefinitionKind::series_gap, first, next - first);
      } else {
        const std::uint32_t tag_set = c_.series[first].tag_set;
        const std::uint32_t tenant = c_.tenant_of(first);  // tenants share the tag set of no pairs
        parts_.clear();
        for (; next < series_.size() && series_[next] && c_.series[next].tag_set == tag_set &&
               c_.tenant_of(next) == tenant;
             ++next) {
          parts_.push_back(c_.series[next].metric);
        }
        write_series(out_, first, tag_set, parts_);
      }
      if (!pace_.worked(next - first)) return;
    }
  }

  const Catalog& c_;
  std::string& out_;
  Pace& pace_;
  const std::uint32_t tenants_;
  Kept metrics_, keys_, pairs_, tag_sets_, series_, groups_;
  std::vector<std::uint32_t> parts_;
};

}  // namespace

void SeriesIndex::dump(std::string& out) const {
  Pace pace(nullptr);
  Dump dump(tables_->catalog, out, pace);
  dump.keep_all();
  dump.write();
}

Status SeriesIndex::dump_what_is_left(std::string& out, std::string& left_out, Turns* turns) const {
  Pace pace(turns);
  Dump dump(tables_->catalog, out, pace);
  dump.keep_what_is_left();
  if (pace.status()) dump.write();
  if (pace.status()) dump.write_left_out(left_out);
  return pace.status();
}

Status SeriesIndex::dump_groups(const std::vector<bool>& kept, std::string& out, Turns* turns) const {
  Pace pace(turns);
  Dump dump(tables_->catalog, out, pace);
  dump.keep_groups(kept);
  if (pace.status()) dump.write();
  return pace.status();
}

}  // namespace varve::index
