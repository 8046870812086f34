// SPDX-License-Identifier: Apache-2.0
// Random work on the index, compared with a model that scans plain lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>

#include "index/series_index.h"

namespace varve::index {
namespace {

using Kind = Matcher::Kind;
using Names = std::vector<std::string>;

struct ModelSeries {
  unsigned tenant;
  std::string metric;
  model::Tags tags;
  std::vector<Place> places;
  bool forgotten = false;
  bool gone = false;  // left out

  [[nodiscard]] std::string value(std::string_view key) const {
    for (const auto& [k, v] : tags) {
      if (k == key) return v;
    }
    return "";
  }
};

// Expressions with the same thing said in plain code.
struct Expression {
  std::string text;
  std::function<bool(std::string_view)> fits;
};
const std::vector<Expression> kExpressions{
    {".*", [](std::string_view) { return true; }},
    {".+", [](std::string_view v) { return !v.empty(); }},
    {"", [](std::string_view v) { return v.empty(); }},
    {"v1.*", [](std::string_view v) { return v.starts_with("v1"); }},
    {"v1|v22|", [](std::string_view v) { return v == "v1" || v == "v22" || v.empty(); }},
    {".*[05]", [](std::string_view v) { return !v.empty() && (v.back() == '0' || v.back() == '5'); }},
    {"v.", [](std::string_view v) { return v.size() == 2; }},
};

// The seed, and from when on tags are counted as series are defined.
using ModelCase = std::tuple<unsigned, CountedFrom>;

class IndexModelTest : public testing::TestWithParam<ModelCase> {
 protected:
  static constexpr unsigned kTenants = 3;

  unsigned below(unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random_); }
  std::string value() { return "v" + std::to_string(below(below(2) == 0 ? 4 : 300)); }
  // Now and then one of many, so that some tag sets have very many series.
  std::string metric() { return "m" + std::to_string(below(below(4) == 0 ? 60 : 12)); }

  void SetUp() override {
    for (unsigned i = 0; i < kTenants; ++i) ASSERT_EQ(model::to_int(index_.tenant(tenant_name(i), records_)), i);
  }
  static std::string tenant_name(unsigned tenant) { return "t" + std::to_string(tenant); }

  void define() {
    const unsigned tenant = below(kTenants);
    model::Tags tags;
    for (char key = 'a'; key < 'e'; ++key) {
      if (below(3) != 0) tags.emplace_back(std::string(1, key), value());
    }
    std::vector<std::string> metrics;
    for (unsigned i = 0; i <= below(6); ++i) metrics.push_back(metric());
    std::set<std::string> fresh;
    for (const auto& name : metrics) {
      const auto known = known_.find({tenant, name, tags});
      if (known == known_.end() || series_[known->second].forgotten) fresh.insert(name);
    }
    const std::size_t room = below(20) == 0 ? fresh.size() - (fresh.empty() ? 0 : 1) : 1000000;
    const std::size_t series_max = room == 1000000 ? room : counts_[tenant] + room;
    const std::vector<std::string_view> views(metrics.begin(), metrics.end());
    const auto group = index_.define_group(model::TenantId{tenant}, model::to_views(tags), views, series_max, records_);
    if (fresh.size() > room) {
      ASSERT_EQ(group.error().code, Code::limit);
      return;
    }
    ASSERT_TRUE(group);
    std::vector<unsigned> columns;
    for (const auto& name : metrics) revive({tenant, name, tags});
    for (const auto& name : metrics) {
      const auto [at, is_new] = known_.try_emplace({tenant, name, tags}, static_cast<unsigned>(series_.size()));
      if (is_new) {
        series_.push_back({tenant, name, tags, {}, false});
        ++counts_[tenant];
      }
      columns.push_back(at->second);
    }
    const auto [at, is_new] = groups_.try_emplace(columns, group_end_);
    group_end_ += is_new ? 1 : 0;
    ASSERT_EQ(model::to_int(*group), at->second);
    for (std::uint16_t i = 0; is_new && i < columns.size(); ++i) series_[columns[i]].places.push_back({*group, i});
  }

  void revive(const std::tuple<unsigned, std::string, model::Tags>& key) {
    if (const auto at = known_.find(key); at != known_.end()) revive(at->second);
  }
  void revive(unsigned series) {
    if (std::exchange(series_[series].forgotten, false)) ++counts_[series_[series].tenant];
  }

  void forget_some() {
    std::vector<model::SeriesId> some;
    for (unsigned i = below(10), at = below(static_cast<unsigned>(series_.size())); i > 0; --i, at += below(3)) {
      if (at >= series_.size()) break;
      some.push_back(model::SeriesId{at});
      if (!std::exchange(series_[at].forgotten, true)) --counts_[series_[at].tenant];
    }
    index_.forget(some, records_);
  }

  void revive_one() {
    if (groups_.empty()) return;
    const model::GroupId group{below(group_end_)};
    for (const auto series : index_.group_series(group)) revive(model::to_int(series));
    index_.revive(group, records_);
  }

  // A group stays with one of its series that is not forgotten, and all of its series with it.
  void leave_out() {
    std::set<unsigned> stays;
    std::erase_if(groups_, [&](const auto& group) {
      const auto is_gone = [this](unsigned series) { return series_[series].forgotten; };
      if (std::ranges::all_of(group.first, is_gone)) return true;
      stays.insert(group.first.begin(), group.first.end());
      return false;
    });
    for (unsigned i = 0; i < series_.size(); ++i) {
      auto& one = series_[i];
      if (!one.forgotten || stays.contains(i)) {
        std::erase_if(one.places, [this](const Place& place) {
          return std::ranges::find(groups_, model::to_int(place.group), &decltype(groups_)::value_type::second) ==
                 groups_.end();
        });
        continue;
      }
      known_.erase({one.tenant, one.metric, one.tags});
      one = {one.tenant, {}, {}, {}, true, true};
    }
    std::string left;
    std::string left_out;
    ASSERT_TRUE(index_.dump_what_is_left(left, left_out));
    SeriesIndex other(counted_from_);
    ASSERT_TRUE(other.replay(std::as_bytes(std::span(left))));
    index_.exchange(other);
    records_ += left_out;
  }

  Matcher matcher() {
    Matcher matcher{std::string(1, static_cast<char>('a' + below(5))), static_cast<Kind>(below(5)), {}};
    switch (matcher.kind) {
      case Kind::any_of:
      case Kind::none_of:
        for (unsigned i = 0; i < below(4); ++i) matcher.values.push_back(below(6) == 0 ? "" : value());
        break;
      case Kind::prefix: matcher.values.push_back(below(4) == 0 ? "" : value().substr(0, 2)); break;
      default:
        expression_ = below(static_cast<unsigned>(kExpressions.size()));
        matcher.values.push_back(kExpressions[expression_].text);
    }
    return matcher;
  }

  static bool fits(const Matcher& m, const std::string& value) {
    const bool listed = std::ranges::find(m.values, value) != m.values.end();
    switch (m.kind) {
      case Kind::any_of: return listed;
      case Kind::none_of: return !listed;
      case Kind::prefix: return value.starts_with(m.values[0]);
      default: {
        const auto e = std::ranges::find(kExpressions, m.values[0], &Expression::text);
        return e->fits(value) == (m.kind == Kind::regex);
      }
    }
  }

  void select_once(const SeriesIndex& index) {
    const unsigned tenant = below(kTenants);
    const std::string name = metric();
    Matchers matchers;
    for (unsigned i = 0; i < below(4); ++i) matchers.push_back(matcher());
    std::vector<unsigned> expected;
    for (unsigned i = 0; i < series_.size(); ++i) {
      const auto& s = series_[i];
      if (s.tenant == tenant && s.metric == name && !s.forgotten &&
          std::ranges::all_of(matchers, [&](const Matcher& m) { return fits(m, s.value(m.key)); })) {
        expected.push_back(i);
      }
    }
    std::vector<unsigned> got;
    const auto found = index.select(model::TenantId{tenant}, name, matchers);
    for (const auto id : found.value()) got.push_back(to_int(id));
    ASSERT_EQ(got, expected) << name << " with " << matchers.size() << " matchers";
  }

  void compare(const SeriesIndex& index) {
    ASSERT_EQ(index.series_end(), series_.size());
    ASSERT_EQ(index.series_count(), std::ranges::count(series_, false, &ModelSeries::forgotten));
    ASSERT_EQ(index.group_count(), group_end_);
    const auto is_left = [](const ModelSeries& one) { return one.forgotten && !one.gone; };
    ASSERT_EQ(index.forgotten_count(), std::ranges::count_if(series_, is_left));
    std::vector<Place> places;
    for (unsigned i = 0; i < series_.size(); ++i) {
      const model::SeriesId id{i};
      ASSERT_EQ(index.is_forgotten(id), series_[i].forgotten);
      if (series_[i].gone) continue;
      ASSERT_EQ(index.metric(id), series_[i].metric);
      ASSERT_EQ(index.tags(id), series_[i].tags);
      ASSERT_EQ(model::to_int(index.series_tenant(id)), series_[i].tenant);
      index.places(id, places);
      std::ranges::stable_sort(places, {}, &Place::group);
      ASSERT_EQ(places, series_[i].places);
    }
    for (const auto& [columns, id] : groups_) {
      const auto got = index.group_series(model::GroupId{id});
      ASSERT_TRUE(std::ranges::equal(got, columns, {}, [](model::SeriesId s) { return model::to_int(s); }));
    }
    for (unsigned tenant = 0; tenant < kTenants; ++tenant) compare_names(index, tenant);
  }

  // What a page says, said in plain code.
  static Names cut(const Names& all, const NamePage& page) {
    Names out;
    for (const std::string& name : all) {
      const bool is_in = name.starts_with(page.prefix) && (page.after.empty() || name > page.after);
      if (is_in && (page.limit == 0 || out.size() < page.limit)) out.push_back(name);
    }
    return out;
  }

  // `list`: NamePage -> Names.
  template <class List>
  void compare_pages(const Names& all, List&& list) {
    ASSERT_EQ(list(NamePage{}), all);
    for (int i = 0; i < 6; ++i) {
      const std::string other = below(2) == 0 || all.empty() ? value() : all[below(static_cast<unsigned>(all.size()))];
      const std::string prefix = other.substr(0, below(3));
      const std::string after = below(3) == 0 ? "" : below(2) == 0 ? value() + "~" : other;
      const NamePage page{prefix, after, below(2) == 0 ? 0 : below(9)};
      ASSERT_EQ(list(page), cut(all, page)) << prefix << " after " << after << ", " << page.limit;
    }
  }

  void compare_tag_pages(const SeriesIndex& index, model::TenantId tenant, const std::string& metric,
                         const std::vector<TagCount>& all) {
    for (int i = 0; i < 6; ++i) {
      const std::string key = below(3) == 0 ? "" : std::string(1, static_cast<char>('a' + below(5)));
      const std::string after = key.empty() || below(4) == 0 ? "" : value();
      const TagPage page{key, after, below(3) == 0 ? 0 : below(20)};
      std::vector<TagCount> expected;
      for (const TagCount& one : all) {
        const bool is_in = std::tie(one.key, one.value) > std::tie(key, after);
        if (is_in && (page.limit == 0 || expected.size() < page.limit)) expected.push_back(one);
      }
      ASSERT_EQ(index.tag_counts(tenant, metric, page), expected);
      if (metric.empty()) continue;
      const auto tagged = index.tagged_series(tenant, metric, page);
      ASSERT_EQ(tagged.size(), expected.size());
      for (std::size_t n = 0; n < tagged.size(); ++n) ASSERT_EQ(tagged[n].series.size(), expected[n].series);
    }
  }

  void compare_names(const SeriesIndex& index, unsigned tenant) {
    const model::TenantId id{tenant};
    std::map<std::string, std::map<std::string, std::set<std::string>>> by_metric;  // metric → key → values
    std::map<std::string, std::map<std::pair<std::string, std::string>, std::uint64_t>> counts;  // by metric
    for (const auto& s : series_) {
      if (s.tenant != tenant || s.forgotten) continue;
      by_metric[s.metric];
      for (const auto& [k, v] : s.tags) {
        by_metric[s.metric][k].insert(v);
        by_metric[""][k].insert(v);
        ++counts[s.metric][{k, v}];
        ++counts[""][{k, v}];
      }
    }
    Names metrics;
    for (const auto& [name, keys] : by_metric) {
      if (!name.empty()) metrics.push_back(name);
      Names key_names;
      for (const auto& [key, values] : keys) {
        key_names.push_back(key);
        compare_pages(Names(values.begin(), values.end()),
                      [&](const NamePage& page) { return index.tag_values(id, name, key, page); });
      }
      compare_pages(key_names, [&](const NamePage& page) { return index.tag_keys(id, name, page); });
      std::vector<TagCount> tag_counts;
      for (const auto& [tag, series] : counts[name]) tag_counts.push_back({tag.first, tag.second, series});
      ASSERT_EQ(index.tag_counts(id, name, {}), tag_counts);
      compare_tag_pages(index, id, name, tag_counts);
    }
    compare_pages(metrics, [&](const NamePage& page) { return index.metric_names(id, page); });
    ASSERT_EQ(index.series_count(id), counts_[tenant]);
  }

  std::mt19937 random_{std::get<0>(GetParam())};
  const CountedFrom counted_from_ = std::get<1>(GetParam());
  SeriesIndex index_{counted_from_};
  std::string records_;
  std::vector<ModelSeries> series_;
  std::map<std::tuple<unsigned, std::string, model::Tags>, unsigned> known_;
  std::map<std::vector<unsigned>, unsigned> groups_;
  unsigned group_end_ = 0;
  std::map<unsigned, std::size_t> counts_;
  unsigned expression_ = 0;
};

TEST_P(IndexModelTest, AgreesWithPlainLists) {
  std::string pieces;  // the log of a second index, replayed piece by piece
  SeriesIndex second(counted_from_);
  std::size_t replayed = 0;
  for (int step = 0; step < 1500; ++step) {
    ASSERT_NO_FATAL_FAILURE(define());
    if (step % 5 == 0) forget_some();
    if (step % 11 == 0) revive_one();
    if (step % 3 == 0) {
      ASSERT_NO_FATAL_FAILURE(select_once(index_));
    }
    if (step == 250 || step == 251 || step == 1100) {
      ASSERT_NO_FATAL_FAILURE(leave_out());
    }
    if (step % 100 == 99) {
      const auto piece = std::as_bytes(std::span(records_)).subspan(replayed);
      ASSERT_TRUE(second.replay(piece));
      replayed = records_.size();
    }
    if (step == 400 || step == 1000) {
      for (unsigned tenant = 0; tenant < kTenants; ++tenant) ASSERT_NO_FATAL_FAILURE(compare_names(index_, tenant));
    }
  }
  ASSERT_NO_FATAL_FAILURE(compare(index_));
  ASSERT_NO_FATAL_FAILURE(compare(second));
  for (int i = 0; i < 300; ++i) ASSERT_NO_FATAL_FAILURE(select_once(second));

  std::string dump;
  index_.dump(dump);
  std::string second_dump;
  second.dump(second_dump);
  ASSERT_EQ(second_dump, dump);
  SeriesIndex third(counted_from_);
  ASSERT_TRUE(third.replay(std::as_bytes(std::span(dump))));
  ASSERT_TRUE(third.replay(std::as_bytes(std::span(records_))));
  ASSERT_NO_FATAL_FAILURE(compare(third));
}

INSTANTIATE_TEST_SUITE_P(Seeds, IndexModelTest,
                         testing::Values(ModelCase{1, {}}, ModelCase{2, {}}, ModelCase{3, {1, 1}},
                                         ModelCase{4, {30, 6}}, ModelCase{5, {90, 15}}, ModelCase{6, {5, 40}}));

}  // namespace
}  // namespace varve::index
