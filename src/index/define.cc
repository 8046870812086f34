// SPDX-License-Identifier: Apache-2.0
// define_group() looks everything up first and creates only when nothing but memory can fail any more. What was created
// when memory ran out stays, with its records: it is found by the next try.
#include <algorithm>

#include "base/check.h"
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

std::size_t text_bytes(const model::TagViews& tags, std::span<const std::string_view> metrics) {
  std::size_t bytes = kTextBytesMax;  // a coded tag set
  for (const auto& tag : tags) bytes += tag.key.size() + tag.value.size();
  for (const std::string_view metric : metrics) bytes += metric.size();
  return bytes;
}

// The most that the records of one definition take.
std::size_t record_bytes(const model::TagViews& tags, std::span<const std::string_view> metrics) {
  constexpr std::size_t kNumbers = 24;  // a kind and up to four numbers
  std::size_t bytes = 4 * kNumbers + tags.size() * 5 + metrics.size() * 10;
  for (const auto& tag : tags) bytes += 2 * kNumbers + tag.key.size() + tag.value.size();
  for (const std::string_view metric : metrics) bytes += 2 * kNumbers + metric.size();  // and perhaps a revival
  return bytes;
}

void reserve_more(std::string& text, std::size_t bytes) {
  if (text.capacity() - text.size() < bytes) text.reserve(text.size() + std::max(text.size(), bytes));
}

// Says which series were created, also when memory has run out before all of them were. `records` has room for it.
class SeriesRecord {
 public:
  SeriesRecord(std::string& records, std::uint32_t first, std::uint32_t tag_set, std::vector<std::uint32_t>& metrics)
      : records_(records), first_(first), tag_set_(tag_set), metrics_(metrics) {}
  ~SeriesRecord() {
    if (!metrics_.empty()) write_series(records_, first_, tag_set_, metrics_);
  }
  SeriesRecord(const SeriesRecord&) = delete;
  SeriesRecord& operator=(const SeriesRecord&) = delete;

 private:
  std::string& records_;
  const std::uint32_t first_;
  const std::uint32_t tag_set_;
  std::vector<std::uint32_t>& metrics_;
};

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
    reserve_more(definitions, 16 + name.size());
    id = tables_->catalog.add_tenant(name);
    write_tenant(definitions, id, name);
  }
  return model::TenantId{id};
}

// The series that are wanted: numbers of the metrics of new ones into t.numbers, all of them into t.columns.
void SeriesIndex::create_series(Tables& t, std::uint32_t tenant, std::uint32_t tag_set, std::string& definitions) {
  const SeriesRecord record(definitions, t.catalog.series.size(), tag_set, t.numbers);
  auto& items = t.wanted.items();
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto& item = items[i];
    if (item.same_as != i) item.series = items[item.same_as].series;
    if (item.series == kNone) {
      if (item.metric == kNone) {
        item.metric = t.catalog.add_metric(tenant, item.metric_name);
        write_owned(definitions, DefinitionKind::metric, item.metric, tenant, item.metric_name);
      }
      item.series = t.catalog.add_series(item.metric, tag_set);
      t.numbers.push_back(item.metric);
    }
    t.columns.push_back(model::SeriesId{item.series});
  }
}

Result<model::GroupId> SeriesIndex::define_group(model::TenantId tenant_id, const model::TagViews& tags,
                                                 std::span<const std::string_view> metrics, std::size_t series_max,
                                                 std::string& definitions, std::uint32_t ttl_s) {
  Tables& t = *tables_;
  Catalog& catalog = t.catalog;
  const std::uint32_t tenant = model::to_int(tenant_id);
  VARVE_RETURN_IF_ERROR(check_sizes(tags, metrics));

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
  t.wanted.clear();
  for (const std::string_view metric : metrics) t.wanted.add(metric, catalog.find_metric(tenant, metric));
  t.wanted.look_up(catalog, tag_set);
  VARVE_RETURN_IF_ERROR(check_room(catalog, tenant, t.wanted.new_count() + forgotten(catalog, t.wanted), series_max));
  if (!catalog.has_room(tags.size() + metrics.size() + 2, text_bytes(tags, metrics))) {
    return fail(Code::limit, "the series index is full");
  }

  // Make room, then create what is new.
  reserve_more(definitions, record_bytes(tags, metrics));
  t.coded.reserve(tags.size() * 5);
  t.numbers.clear();
  t.columns.clear();
  t.numbers.reserve(metrics.size());
  t.columns.reserve(metrics.size());
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
  create_series(t, tenant, tag_set, definitions);
  check(t.columns.size() == metrics.size(), "each metric has a column");
  revive_series(catalog, t.columns, definitions);
  std::uint32_t group = t.numbers.empty() ? catalog.find_group(t.columns, ttl_s) : kNone;
  if (group == kNone) {
    group = catalog.add_group(t.columns, ttl_s);
    write_group(definitions, group, t.columns, ttl_s);
  }
  return model::GroupId{group};
}

}  // namespace varve::index
