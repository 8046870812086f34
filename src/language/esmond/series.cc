// SPDX-License-Identifier: Apache-2.0
#include "language/esmond/series.h"

#include <algorithm>
#include <charconv>

#include "language/esmond/names.h"

namespace varve::language::esmond {
namespace {

using snmp::inventory::Inventory;
using snmp::inventory::ObjectType;
using snmp::inventory::Oidset;

constexpr std::string_view kPolled = "snmp";
constexpr std::size_t kNamesBefore = 4;  // snmp/DEVICE/OIDSET/OBJECT

std::int64_t frequency_of(std::string_view text) {
  std::int64_t out = 0;
  const char* const end = text.data() + text.size();
  const auto [behind, error] = std::from_chars(text.data(), end, out);
  return error == std::errc() && behind == end ? out : 0;
}

Target own_target(std::string_view metric, std::string_view path, std::int64_t frequency_ms) {
  return {std::string(metric),
          {{std::string(kFrequencyTag), std::to_string(frequency_ms)}, {std::string(kPathTag), std::string(path)}}};
}

Target polled_target(std::string_view object, std::string_view device, std::string_view oidset, model::Tags more) {
  Target out{"snmp." + std::string(object), std::move(more)};
  out.tags.emplace_back("device", device);
  out.tags.emplace_back("oidset", oidset);
  std::ranges::sort(out.tags);
  return out;
}

// The tags that a correlator gives to rows, for the names behind the object's. One for each layout that has so many.
std::vector<model::Tags> row_tags(const Inventory& inventory, const Oidset& set, bool is_scalar,
                                  std::span<const std::string> names) {
  if (is_scalar) return names.empty() ? std::vector<model::Tags>(1) : std::vector<model::Tags>();
  std::vector<model::Tags> out;
  const auto* const correlator = find_correlator(inventory, set.correlator);
  if (correlator == nullptr || names.empty()) return out;
  for (const auto& layout : correlator->layouts) {
    if (layout.tags.size() != names.size()) continue;
    model::Tags& tags = out.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) tags.emplace_back(layout.tags[i].name, names[i]);
  }
  return out;
}

bool has_series(const query::Engine& engine, const std::string& tenant, const Target& target) {
  const auto written = is_written(engine, tenant, target);
  return written && *written;
}

std::optional<Source> polled_source(const query::Engine& engine, const std::string& tenant, const Inventory& inventory,
                                    std::span<const std::string> path) {
  if (path.size() < kNamesBefore || path[0] != kPolled) return std::nullopt;
  const Oidset* const set = find_oidset(inventory, path[2]);
  if (set == nullptr || set->history) return std::nullopt;
  const auto type = set->type_of(path[3]);
  if (!type) return std::nullopt;
  Source out{.raw = {}, .posted = {}, .base_ms = set->frequency_ms, .set = set, .object = set->find(path[3])};
  const bool is_scalar = out.object != nullptr && !out.object->oid.empty() && out.object->oid.back() == 0;
  auto tags = row_tags(inventory, *set, is_scalar || *type == ObjectType::time_ticks, path.subspan(kNamesBefore));
  if (tags.empty()) return std::nullopt;
  for (model::Tags& one : tags) {
    Target target = polled_target(path[3], path[1], path[2], std::move(one));
    if (out.raw.metric.empty() || has_series(engine, tenant, target)) out.raw = std::move(target);
  }
  out.is_unsigned = *type == ObjectType::counter64;
  out.is_counter = is_counter(*type);
  return out;
}

}  // namespace

index::Matchers matchers_of(const Target& target) {
  index::Matchers out;
  for (const auto& [key, value] : target.tags) out.push_back({key, index::Matcher::Kind::any_of, {value}});
  return out;
}

Result<bool> is_written(const query::Engine& engine, const std::string& tenant, const Target& target) {
  VARVE_ASSIGN_OR_RETURN(const auto id, engine.series().find_tenant(tenant));
  if (!id) return false;
  VARVE_ASSIGN_OR_RETURN(const auto found, engine.series().select(*id, target.metric, matchers_of(target)));
  return !found.empty();
}

Source source_of(const query::Engine& engine, const std::string& tenant, const Inventory& inventory,
                 std::span<const std::string> path, std::int64_t frequency_ms) {
  const std::string text = at_encode(path);
  auto out = polled_source(engine, tenant, inventory, path);
  if (!out || out->base_ms != frequency_ms) {
    out = Source{.raw = own_target(kRawMetric, text, frequency_ms), .posted = {}, .base_ms = frequency_ms};
    out->is_unsigned = true;
  }
  out->posted = own_target(kBaseRateMetric, text, frequency_ms);
  return std::move(*out);
}

std::optional<Source> source_of_alias(const query::Engine& engine, const std::string& tenant,
                                      const Inventory& inventory, const snmp::inventory::Device& device,
                                      const std::string& interface, std::string_view alias) {
  std::optional<Source> first;
  const auto consider = [&](const Oidset& set, const std::string& object, bool is_stand_in) {
    const std::vector<std::string> path = {std::string(kPolled), device.name, set.name, object, interface};
    Source source{.raw = polled_target(object, device.name, set.name, {{"interface", interface}}),
                  .posted = own_target(kBaseRateMetric, at_encode(path), set.frequency_ms),
                  .base_ms = set.frequency_ms};
    source.set = &set;
    source.object = set.find(object);
    source.is_unsigned = !is_stand_in && set.type_of(object) == ObjectType::counter64;
    const bool is_there = has_series(engine, tenant, source.raw) || has_series(engine, tenant, source.posted);
    if (!first || is_there) first = std::move(source);
    return is_there;
  };
  for (const std::string& name : device.oidsets) {
    const Oidset* const set = find_oidset(inventory, name);
    if (set == nullptr) continue;
    for (const auto& object : set->objects) {
      if (object.alias != alias) continue;
      if (consider(*set, object.name, false)) return first;
      if (object.stand_in && consider(*set, object.stand_in->name, true)) return first;
    }
  }
  return first;
}

Result<std::optional<Source>> least_source_of(const query::Engine& engine, const std::string& tenant,
                                              const Inventory& inventory, std::span<const std::string> path) {
  std::optional<Source> out = polled_source(engine, tenant, inventory, path);
  if (out) {
    VARVE_ASSIGN_OR_RETURN(const bool written, is_written(engine, tenant, out->raw));
    if (!written) out.reset();
  }
  VARVE_ASSIGN_OR_RETURN(const auto id, engine.series().find_tenant(tenant));
  if (!id) return out;
  const std::string text = at_encode(path);
  VARVE_ASSIGN_OR_RETURN(
      const auto found,
      engine.series().select(*id, kRawMetric, {{std::string(kPathTag), index::Matcher::Kind::any_of, {text}}}));
  for (const model::Tags& tags : engine.series().tags(*id, found)) {
    const auto tag = std::ranges::find(tags, kFrequencyTag, &std::pair<std::string, std::string>::first);
    const std::int64_t frequency_ms = tag == tags.end() ? 0 : frequency_of(tag->second);
    if (frequency_ms <= 0 || (out && out->base_ms <= frequency_ms)) continue;
    out = Source{.raw = own_target(kRawMetric, text, frequency_ms), .posted = {}, .base_ms = frequency_ms};
    out->is_unsigned = true;
  }
  return out;
}

std::optional<counter::Declaration> esmond_declaration(std::string_view, std::string_view metric,
                                                       const counter::TagOf& tag) {
  if (metric != kRawMetric) return std::nullopt;
  const std::int64_t frequency_ms = frequency_of(tag(kFrequencyTag));
  if (frequency_ms <= 0 || frequency_ms > 365 * model::kDayMs) return std::nullopt;
  counter::Declaration out = counter::declaration_of(counter::Pattern{{}, frequency_ms});
  out.rules.is_unsigned = true;
  return out;
}

}  // namespace varve::language::esmond
