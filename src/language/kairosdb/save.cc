// SPDX-License-Identifier: Apache-2.0
#include "language/kairosdb/save.h"

#include <algorithm>

#include "base/wait.h"
#include "protocol/json/text.h"
#include "protocol/kairosdb/ttl_text.h"

namespace varve::language::kairosdb {
namespace {

constexpr std::size_t kBatchBytesMax = std::size_t{4} << 20;

// As a put of KairosDB names it: the same series has the same line group, whoever writes it.
std::string raw_name(std::string_view metric, const model::TagViews& tags) {
  std::string raw;
  protocol::json::append_string(raw, metric);
  raw += '{';
  for (const auto& [key, value] : tags) {
    if (raw.back() != '{') raw += ',';
    protocol::json::append_string(raw, key);
    raw += ':';
    protocol::json::append_string(raw, value);
  }
  return raw += '}';
}

model::Value value_at(const aggregate::Points& points, std::size_t i) {
  const model::ValueType type = points.type_of(i);
  return model::in_text(type) ? model::Value{type, 0, points.texts[i]} : model::Value{type, points.bits[i], {}};
}

}  // namespace

model::Tags saved_tags(const model::Tags& given, std::string_view from, const std::vector<std::string>& group_by,
                       const query::TagUnion& tags) {
  model::Tags out = given;
  const auto add = [&out](std::string_view key, std::string_view value) {
    const bool stands = std::ranges::any_of(out, [&](const auto& tag) { return tag.first == key; });
    if (!stands) out.emplace_back(key, value);
  };
  if (!from.empty()) add("saved_from", from);
  for (const std::string& key : group_by) {
    for (const auto& [name, values] : tags) {
      if (name == key && values.size() == 1) add(key, values.front());
    }
  }
  return out;
}

Result<std::uint64_t> save_points(write::Writer& writer, std::string_view tenant, const std::string& metric,
                                  const model::Tags& tags, const aggregate::Points& points, model::TimeRange range,
                                  std::uint32_t ttl_s) {
  model::TagViews views = model::to_views(tags);
  VARVE_RETURN_IF_ERROR(model::normalize(views));
  const std::string raw = raw_name(metric, views);
  const protocol::kairosdb::TtlText ttl(ttl_s);
  std::uint64_t saved = 0, too_old = 0;
  for (std::size_t i = 0; i < points.size();) {
    VARVE_ASSIGN_OR_RETURN(auto ingest, writer.open(tenant, write::Family::kairosdb));
    const model::LineGroup* group = ingest->groups().find(raw, ttl.view());
    model::RowBatch& batch = ingest->batch();
    const std::string_view name = metric;
    const model::Timestamp kept_from =
        batch.kept_from(group != nullptr ? group->kept : ingest->groups().kept(views, {&name, 1}));
    for (; i < points.size() && batch.bytes().size() < kBatchBytesMax; ++i) {
      const model::Timestamp time = points.times[i];
      if (!range.contains(time) || points.is_null(i)) continue;
      if (time < kept_from) {
        ++too_old;
        continue;
      }
      if (group == nullptr) {
        VARVE_ASSIGN_OR_RETURN(group, ingest->groups().define(raw, ttl.view(), views, {&name, 1}, ttl_s));
      }
      batch.add(*group, time, value_at(points, i));
      ++saved;
    }
    VARVE_RETURN_IF_ERROR(
        wait_for([&](storage::SampleStore::AppendDone done) { writer.commit(std::move(ingest), std::move(done)); }));
  }
  writer.count_rejected(Code::too_old, too_old);
  return saved;
}

decltype(query::Request::save) saver(write::Writer& writer, const std::string& tenant) {
  return [&writer, tenant](const query::MetricQuery& metric, const query::Group& group, const aggregate::SaveAs& save,
                           const aggregate::Points& points) -> Status {
    const std::string from = save.add_saved_from ? query::text_of(metric.metric) : std::string();
    const model::Tags tags = saved_tags(save.tags, from, metric.pipeline().keys(), group.tags);
    VARVE_RETURN_IF_ERROR(save_points(writer, tenant, save.metric, tags, points, {}, model::ttl_s_of(save.ttl_s)));
    return {};
  };
}

}  // namespace varve::language::kairosdb
