// SPDX-License-Identifier: Apache-2.0
// Definition records back into the index. Every rule of docs/formats/definitions.md is checked here before a record
// changes anything.
#include <algorithm>

#include "index/tables.h"

namespace varve::index {
namespace {

constexpr std::string_view kNotTheSame = "says something else than the first time";
constexpr std::string_view kGap = "has an id that is not the next one";
constexpr std::string_view kUnknown = "names something that is not defined";
constexpr std::string_view kTwice = "defines again what has another id";
constexpr std::string_view kTenants = "joins two tenants";

// Applies one record after the other to the tables. Of what is a gap now, a log may still have the records from before:
// they say nothing any more.
class Replay {
 public:
  Replay(Catalog& catalog, WantedSeries& wanted, std::vector<model::SeriesId>& columns, std::string& coded,
         bool revives_all)
      : catalog_(catalog), wanted_(wanted), columns_(columns), coded_(coded), revives_all_(revives_all) {}

  Status apply(const Definition& d) {
    if (!catalog_.has_room(d.parts.size() + 4, d.text.size() + d.parts.size() * 5)) {
      return fail(Code::limit, "the series index is full");
    }
    switch (d.kind) {
      case DefinitionKind::tenant: return tenant(d);
      case DefinitionKind::metric: return metric(d);
      case DefinitionKind::key: return key(d);
      case DefinitionKind::pair: return pair(d);
      case DefinitionKind::tag_set: return tag_set(d);
      case DefinitionKind::series: return series(d);
      case DefinitionKind::group: return group(d, 0);
      case DefinitionKind::mortal_group: return d.owner == 0 ? bad("has no time to live") : group(d, d.owner);
      case DefinitionKind::forget:
      case DefinitionKind::revive: return forget_or_revive(d);
      case DefinitionKind::metric_gap:
        return gap(d, catalog_.metrics,
                   {&Catalog::is_metric_gap, &Catalog::is_metric_unused, &Catalog::leave_out_metric,
                    &Catalog::add_metric_gap});
      case DefinitionKind::key_gap:
        return gap(d, catalog_.keys,
                   {&Catalog::is_key_gap, &Catalog::is_key_unused, &Catalog::leave_out_key, &Catalog::add_key_gap});
      case DefinitionKind::pair_gap:
        return gap(d, catalog_.pairs,
                   {&Catalog::is_pair_gap, &Catalog::is_pair_unused, &Catalog::leave_out_pair, &Catalog::add_pair_gap});
      case DefinitionKind::tag_set_gap:
        return gap(d, catalog_.tag_sets,
                   {&Catalog::is_tag_set_gap, &Catalog::is_tag_set_unused, &Catalog::leave_out_tag_set,
                    &Catalog::add_tag_set_gap});
      case DefinitionKind::series_gap:
        return gap(
            d, catalog_.series,
            {&Catalog::is_gap, &Catalog::is_series_unused, &Catalog::leave_out_series, &Catalog::add_series_gap});
      case DefinitionKind::group_gap:
        return gap(
            d, catalog_.groups,
            {&Catalog::is_group_gap, &Catalog::is_group_unused, &Catalog::leave_out_group, &Catalog::add_group_gap});
    }
    return bad(kUnknown);
  }

 private:
  static std::unexpected<Error> bad(std::string_view why) { return fail(Code::corrupt, std::string(why)); }
  static Status same(bool same) {
    if (!same) return bad(kNotTheSame);
    return {};
  }

  Status tenant(const Definition& d) {
    if (d.id < catalog_.tenants.size()) return same(catalog_.text(catalog_.tenants[d.id].name) == d.text);
    if (d.id != catalog_.tenants.size()) return bad(kGap);
    if (catalog_.find_tenant(d.text) != kNone) return bad(kTwice);
    catalog_.add_tenant(d.text);
    return {};
  }

  Status metric(const Definition& d) {
    if (d.id < catalog_.metrics.size()) {
      const auto& known = catalog_.metrics[d.id];
      return same(catalog_.is_metric_gap(d.id) || (known.tenant == d.owner && catalog_.text(known.name) == d.text));
    }
    if (d.id != catalog_.metrics.size()) return bad(kGap);
    if (d.owner >= catalog_.tenants.size()) return bad(kUnknown);
    if (catalog_.find_metric(d.owner, d.text) != kNone) return bad(kTwice);
    catalog_.add_metric(d.owner, d.text);
    return {};
  }

  Status key(const Definition& d) {
    if (d.id < catalog_.keys.size()) {
      const auto& known = catalog_.keys[d.id];
      return same(catalog_.is_key_gap(d.id) || (known.tenant == d.owner && catalog_.text(known.name) == d.text));
    }
    if (d.id != catalog_.keys.size()) return bad(kGap);
    if (d.owner >= catalog_.tenants.size()) return bad(kUnknown);
    if (catalog_.find_key(d.owner, d.text) != kNone) return bad(kTwice);
    catalog_.add_key(d.owner, d.text);
    return {};
  }

  Status pair(const Definition& d) {
    if (d.id < catalog_.pairs.size()) {
      const auto& known = catalog_.pairs[d.id];
      return same(catalog_.is_pair_gap(d.id) || (known.key == d.owner && catalog_.text(known.value) == d.text));
    }
    if (d.id != catalog_.pairs.size()) return bad(kGap);
    if (d.owner >= catalog_.keys.size() || catalog_.is_key_gap(d.owner)) return bad(kUnknown);
    if (catalog_.find_pair(d.owner, d.text) != kNone) return bad(kTwice);
    catalog_.add_pair(d.owner, d.text);
    return {};
  }

  Status tag_set(const Definition& d) {
    code_pairs(d.parts, coded_);
    if (d.id < catalog_.tag_sets.size()) {
      return same(catalog_.is_tag_set_gap(d.id) || catalog_.text(catalog_.tag_sets[d.id].pairs) == coded_);
    }
    if (d.id != catalog_.tag_sets.size()) return bad(kGap);
    if (coded_.size() > kTextBytesMax) return bad("has too many pairs");
    const Catalog::Key* before = nullptr;
    for (const std::uint32_t part : d.parts) {
      if (part >= catalog_.pairs.size() || catalog_.is_pair_gap(part)) return bad(kUnknown);
      const Catalog::Key* key = &catalog_.keys[catalog_.pairs[part].key];
      if (before != nullptr) {
        if (key->tenant != before->tenant) return bad(kTenants);
        if (catalog_.text(before->name) >= catalog_.text(key->name)) return bad("has its pairs in the wrong order");
      }
      before = key;
    }
    if (catalog_.find_tag_set(coded_) != kNone) return bad(kTwice);
    catalog_.add_tag_set(coded_);
    return {};
  }

  Status series(const Definition& d) {
    if (d.parts.empty()) return bad("has no series");
    if (d.owner >= catalog_.tag_sets.size()) return bad(kUnknown);
    const std::uint32_t known = catalog_.series.size();
    if (d.id > known) return bad(kGap);
    const std::size_t overlap = std::min<std::size_t>(known - d.id, d.parts.size());
    for (std::uint32_t i = 0; i < overlap; ++i) {
      if (catalog_.is_gap(d.id + i)) continue;
      const auto& one = catalog_.series[d.id + i];
      if (one.metric != d.parts[i] || one.tag_set != d.owner) return bad(kNotTheSame);
    }
    if (overlap == d.parts.size()) return {};
    if (catalog_.is_tag_set_gap(d.owner)) return bad(kUnknown);
    return new_series(d.owner, std::span(d.parts).subspan(overlap));
  }

  Status new_series(std::uint32_t tag_set, std::span<const std::uint32_t> metrics) {
    if (metrics[0] >= catalog_.metrics.size() || catalog_.is_metric_gap(metrics[0])) return bad(kUnknown);
    const std::uint32_t tenant = catalog_.metrics[metrics[0]].tenant;
    bool same_tenant = true;
    catalog_.for_each_pair(tag_set, [&](std::uint32_t pair) {
      same_tenant = catalog_.keys[catalog_.pairs[pair].key].tenant == tenant;
      return false;  // the others have the tenant of the first
    });
    wanted_.clear();
    for (const std::uint32_t metric : metrics) {
      if (metric >= catalog_.metrics.size() || catalog_.is_metric_gap(metric)) return bad(kUnknown);
      same_tenant = same_tenant && catalog_.metrics[metric].tenant == tenant;
      wanted_.add(catalog_.text(catalog_.metrics[metric].name), metric);
    }
    if (!same_tenant) return bad(kTenants);
    wanted_.look_up(catalog_, tag_set);
    if (wanted_.new_count() != metrics.size()) return bad(kTwice);
    for (const auto& item : wanted_.items()) catalog_.add_series(item.metric, tag_set);
    return {};
  }

  Status group(const Definition& d, std::uint32_t ttl_s) {
    columns_.clear();
    for (const std::uint32_t part : d.parts) columns_.push_back(model::SeriesId{part});
    if (d.id < catalog_.groups.size()) {
      return same(
          catalog_.is_group_gap(d.id) ||
          (catalog_.ttl_of(d.id) == ttl_s && std::ranges::equal(catalog_.series_of(catalog_.groups[d.id]), columns_)));
    }
    if (d.id != catalog_.groups.size()) return bad(kGap);
    if (d.parts.empty() || d.parts.size() > kGroupColumnsMax) return bad("has no columns or too many");
    for (const std::uint32_t part : d.parts) {
      if (part >= catalog_.series.size() || catalog_.is_gap(part)) return bad(kUnknown);
      if (catalog_.series[part].tag_set != catalog_.series[d.parts[0]].tag_set) return bad("joins two tag sets");
      if (catalog_.tenant_of(part) != catalog_.tenant_of(d.parts[0])) return bad(kTenants);
    }
    if (catalog_.find_group(columns_, ttl_s) != kNone) return bad(kTwice);
    catalog_.add_group(columns_, ttl_s);
    return {};
  }

  Status forget_or_revive(const Definition& d) {
    if (d.owner == 0) return bad("has no series");
    if (d.owner > catalog_.series.size() || d.id > catalog_.series.size() - d.owner) return bad(kUnknown);
    const bool forget = d.kind == DefinitionKind::forget;
    for (std::uint32_t series = d.id; series < d.id + d.owner; ++series) {
      if (catalog_.is_gap(series)) {
        if (!forget && revives_all_) return bad("revives what is left out");
        continue;
      }
      if (catalog_.is_forgotten(series) == forget) continue;
      forget ? catalog_.forget(series) : catalog_.revive(series);
    }
    return {};
  }

  struct Leaving {
    bool (Catalog::*is_gap)(std::uint32_t) const;
    bool (Catalog::*is_unused)(std::uint32_t) const;
    void (Catalog::*leave_out)(std::uint32_t);
    void (Catalog::*add_gap)(std::uint32_t);
  };
  // What is defined leaves; what is behind the last id has left.
  template <class Things>
  Status gap(const Definition& d, const Things& things, const Leaving& how) {
    const std::uint32_t known = things.size();
    if (d.owner == 0) return bad("leaves out nothing");
    if (d.id > known) return bad(kGap);
    if (known + std::uint64_t{d.owner} >= kIdsMax) return fail(Code::limit, "the series index is full");
    const std::uint32_t end = d.id + std::min(known - d.id, d.owner);
    for (std::uint32_t id = d.id; id < end; ++id) {
      if (!(catalog_.*how.is_gap)(id) && !(catalog_.*how.is_unused)(id)) return bad("leaves out what is in use");
    }
    for (std::uint32_t id = d.id; id < end; ++id) {
      if (!(catalog_.*how.is_gap)(id)) (catalog_.*how.leave_out)(id);
    }
    if (d.owner > end - d.id) (catalog_.*how.add_gap)(d.owner - (end - d.id));
    return {};
  }

  Catalog& catalog_;
  WantedSeries& wanted_;
  std::vector<model::SeriesId>& columns_;
  std::string& coded_;
  const bool revives_all_;
};

std::unexpected<Error> at(std::size_t offset, Error error) {
  error.message = "definition at offset " + std::to_string(offset) + ": " + error.message;
  return fail(std::move(error));
}

}  // namespace

Status SeriesIndex::replay_into(Tables& tables, std::span<const std::byte> definitions, bool revives_all) {
  Replay replay(tables.catalog, tables.wanted, tables.columns, tables.coded, revives_all);
  for (DefinitionReader reader(definitions); !reader.done();) {
    const std::size_t offset = reader.offset();
    if (Status read = reader.next(tables.definition); !read) return at(offset, read.error());
    if (Status applied = replay.apply(tables.definition); !applied) return at(offset, applied.error());
  }
  return {};
}

Status SeriesIndex::replay(std::span<const std::byte> definitions) { return replay_into(*tables_, definitions, false); }

Status SeriesIndex::catch_up(std::span<const std::byte> definitions) {
  return replay_into(*tables_, definitions, true);
}

}  // namespace varve::index
