// SPDX-License-Identifier: Apache-2.0
// define_group() looks everything up first and creates only when nothing can fail any more.
#include <algorithm>

#include "codec/varint.h"
#include "index/tables.h"

namespace varve::index {
namespace {

Status check_sizes(const model::TagViews& tags, std::span<const std::string_view> metrics) {
  if (metrics.empty() || metrics.size() > kGroupColumnsMax) {
    return fail(Code::invalid, std::to_string(metrics.size()) + " metrics share one line; 1 to " +
                                   std::to_string(kGroupColumnsMax) + " can");
  }
  for (const std::string_view metric : metrics) {
    if (metric.empty()) return fail(Code::invalid, "the metric name is empty");
    if (metric.size() > kTextBytesMax) return fail(Code::invalid, "a metric name has over 65535 bytes");
  }
  for (const auto& tag : tags) {
    if (tag.key.empty() || tag.value.empty()) return fail(Code::invalid, "a tag's name or value is empty");
    if (tag.key.size() > kTextBytesMax) return fail(Code::invalid, "a tag name has over 65535 bytes");
    if (tag.value.size() > kTextBytesMax) return fail(Code::invalid, "a tag value has over 65535 bytes");
  }
  if (tags.size() > kTextBytesMax / 5) return fail(Code::invalid, std::to_string(tags.size()) + " tags");
  return {};
}

std::size_t bytes_of(const model::TagViews& tags, std::span<const std::string_view> metrics) {
  std::size_t bytes = kTextBytesMax;  // a coded tag set
  for (const auto& tag : tags) bytes += tag.key.size() + tag.value.size();
  for (const std::string_view metric : metrics) bytes += metric.size();
  return bytes;
}

// How many of the known series are forgotten ones, each counted once.
std::size_t forgotten(const Catalog& catalog, WantedSeries& wanted) {
  std::vector<std::uint32_t> known;
  for (const auto& item : wanted.items()) {
    if (item.series != kNone && catalog.is_forgotten(item.series)) known.push_back(item.series);
  }
  std::ranges::sort(known);
  return known.size() - std::ranges::unique(known).size();
}

}  // namespace

void code_pairs(std::span<const std::uint32_t> pairs, std::string& out) {
  out.clear();
  for (const std::uint32_t pair : pairs) codec::append_varint(out, pair);
}

model::TenantId SeriesIndex::tenant(std::string_view name, std::string& definitions) {
  std::uint32_t id = tables_->catalog.find_tenant(name);
  if (id == kNone) {
    id = tables_->catalog.add_tenant(name);
    write_tenant(definitions, id, name);
  }
  return model::TenantId{id};
}

Result<model::GroupId> SeriesIndex::define_group(model::TenantId tenant_id, const model::TagViews& tags,
                                                 std::span<const std::string_view> metrics, std::size_t series_max,
                                                 std::string& definitions, std::uint32_t ttl_s) {
  Tables& t = *tables_;
  Catalog& catalog = t.catalog;
  const std::uint32_t tenant = model::to_int(tenant_id);
  VARVE_CHECK_OK(check_sizes(tags, metrics));

  // Look up.
  t.keys.clear();
  t.pairs.clear();
  bool tags_known = true;
  for (const auto& tag : tags) {
    t.keys.push_back(catalog.find_key(tenant, tag.key));
    t.pairs.push_back(t.keys.back() == kNone ? kNone : catalog.find_pair(t.keys.back(), tag.value));
    tags_known = tags_known && t.pairs.back() != kNone;
  }
  code_pairs(t.pairs, t.coded);
  std::uint32_t tag_set = tags_known ? catalog.find_tag_set(t.coded) : kNone;
  t.wanted.start(tags);
  for (const std::string_view metric : metrics) t.wanted.add(metric, catalog.find_metric(tenant, metric));
  VARVE_CHECK_OK(t.wanted.look_up(catalog, tenant, tag_set));
  VARVE_CHECK_OK(check_room(catalog, tenant, t.wanted.new_count() + forgotten(catalog, t.wanted), series_max));
  if (!catalog.has_room(tags.size() + metrics.size() + 2, bytes_of(tags, metrics))) {
    return fail(Code::limit, "the series index is full");
  }

  // Create what is new.
  if (tag_set == kNone) {
    for (std::size_t i = 0; i < tags.size(); ++i) {
      if (t.keys[i] == kNone) {
        t.keys[i] = catalog.add_key(tenant, tags[i].key);
        write_owned(definitions, DefinitionKind::key, t.keys[i], tenant, tags[i].key);
      }
      if (t.pairs[i] == kNone) {
        t.pairs[i] = catalog.add_pair(t.keys[i], tags[i].value);
        write_owned(definitions, DefinitionKind::pair, t.pairs[i], t.keys[i], tags[i].value);
      }
    }
    code_pairs(t.pairs, t.coded);
    tag_set = catalog.add_tag_set(t.coded);
    write_tag_set(definitions, tag_set, t.pairs);
  }
  const std::uint32_t first = catalog.series.size();
  t.numbers.clear();
  t.columns.clear();
  auto& items = t.wanted.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto& item = items[i];
    if (item.same_as != i) item.series = items[item.same_as].series;
    if (item.series == kNone) {
      if (item.metric == kNone) {
        item.metric = catalog.add_metric(tenant, item.metric_name);
        write_owned(definitions, DefinitionKind::metric, item.metric, tenant, item.metric_name);
      }
      item.series = catalog.add_series(item.metric, tag_set, item.identity);
      t.numbers.push_back(item.metric);
    }
    t.columns.push_back(model::SeriesId{item.series});
  }
  if (!t.numbers.empty()) write_series(definitions, first, tag_set, t.numbers);
  revive_series(catalog, t.columns, definitions);
  std::uint32_t group = t.numbers.empty() ? catalog.find_group(t.columns, ttl_s) : kNone;
  if (group == kNone) {
    group = catalog.add_group(t.columns, ttl_s);
    write_group(definitions, group, t.columns, ttl_s);
  }
  return model::GroupId{group};
}

}  // namespace varve::index
