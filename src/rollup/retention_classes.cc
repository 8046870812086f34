// SPDX-License-Identifier: Apache-2.0
#include "rollup/retention_classes.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "codec/hash.h"
#include "model/tenant.h"

namespace varve::rollup {
namespace {

using Condition = RetentionRule::Condition;

bool fits_value(const Condition& condition, std::string_view text) {
  return condition.is_prefix ? text.starts_with(condition.value) : text == condition.value;
}

bool fits_tenant(const RetentionRule& rule, std::string_view tenant) {
  return std::ranges::all_of(rule.conditions, [&](const Condition& condition) {
    return condition.on != Condition::On::tenant || fits_value(condition, tenant);
  });
}

bool is_of_tenants(const RetentionRule& rule) {
  return std::ranges::all_of(rule.conditions, [](const Condition& c) { return c.on == Condition::On::tenant; });
}

bool fits_series(const RetentionRule& rule, std::string_view metric, const model::TagViews& tags) {
  return std::ranges::all_of(rule.conditions, [&](const Condition& condition) {
    if (condition.on == Condition::On::tenant) return true;
    if (condition.on == Condition::On::metric) return fits_value(condition, metric);
    return std::ranges::any_of(
        tags, [&](const auto& tag) { return tag.key == condition.key && fits_value(condition, tag.value); });
  });
}

// What would fit nothing is most likely meant otherwise.
Status check_condition(const Condition& condition, std::string_view name) {
  if (condition.value.contains('*') || condition.key.contains('*')) {
    return fail(Code::invalid, "can have one * only, at the end of a value: " + std::string(name));
  }
  if (condition.value.starts_with('~')) {
    return fail(Code::invalid, "cannot have a regular expression: " + std::string(name));
  }
  if (condition.on == Condition::On::tenant && !condition.is_prefix && !model::is_tenant_name(condition.value)) {
    return fail(Code::invalid, "names a tenant that cannot be: '" + condition.value + "'");
  }
  return {};
}

Status read_condition(std::string_view text, std::vector<Condition>& out) {
  constexpr std::string_view kTag = "tag.";
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  Condition condition;
  if (name == "tenant") {
    condition.on = Condition::On::tenant;
  } else if (name.starts_with(kTag) && name.size() > kTag.size()) {
    condition.on = Condition::On::tag;
    condition.key = name.substr(kTag.size());
  } else if (name != "metric" || equals == std::string_view::npos) {
    return fail(Code::invalid,
                "needs conditions tenant=…, metric=… or tag.KEY=…, joined by &, not '" + std::string(text) + "'");
  }
  if (equals == std::string_view::npos || equals + 1 == text.size()) {
    return fail(Code::invalid, "needs a value behind '" + std::string(name) + "='");
  }
  condition.value = text.substr(equals + 1);
  condition.is_prefix = condition.value.ends_with('*');
  if (condition.is_prefix) condition.value.pop_back();
  VARVE_RETURN_IF_ERROR(check_condition(condition, name));
  const bool is_second = std::ranges::any_of(
      out, [&](const Condition& other) { return other.on == condition.on && other.key == condition.key; });
  if (is_second) return fail(Code::invalid, "has two conditions on " + std::string(name));
  out.push_back(std::move(condition));
  return {};
}

template <class Pick>
void take(Retention& into, const Retention& other, const Pick& pick) {
  into.raw_ms = pick(into.raw_ms, other.raw_ms);
  for (std::size_t l = 0; l < into.levels.size(); ++l) {
    into.levels[l].retention_ms = pick(into.levels[l].retention_ms, other.levels[l].retention_ms);
  }
}

constexpr auto kLonger = [](std::int64_t a, std::int64_t b) { return std::max(a, b); };
constexpr auto kShorter = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };

}  // namespace

Status read_retention_conditions(std::string_view text, RetentionRule& rule) {
  rule.conditions.clear();
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('&', at), text.size());
    VARVE_RETURN_IF_ERROR(read_condition(text.substr(at, end - at), rule.conditions));
    at = end + 1;
  }
  return {};
}

std::int64_t Retention::longest_ms() const {
  std::int64_t longest = raw_ms;
  for (const Level& level : levels) longest = std::max(longest, level.retention_ms);
  return longest;
}

RetentionClasses::RetentionClasses(std::vector<RetentionRule> rules, Retention general) : rules_(std::move(rules)) {
  check(rules_.size() <= kMost, "a number has room for each class");
  retentions_.push_back(std::move(general));
  for (const RetentionRule& rule : rules_) {
    Retention own{rule.retention_ms, retentions_[kNone].levels};
    for (Level& level : own.levels) level.retention_ms = rule.retention_ms;
    retentions_.push_back(std::move(own));
  }
}

RetentionClasses::Number RetentionClasses::of(std::string_view tenant, std::string_view metric,
                                              const model::TagViews& tags) const {
  const auto rule = std::ranges::find_if(
      rules_, [&](const RetentionRule& one) { return fits_tenant(one, tenant) && fits_series(one, metric, tags); });
  return rule == rules_.end() ? kNone : static_cast<Number>(rule - rules_.begin() + 1);
}

std::vector<RetentionClasses::Number> RetentionClasses::possible_of(std::string_view tenant) const {
  std::vector<Number> possible;
  bool has_general = true;
  for (std::size_t i = 0; i < rules_.size() && has_general; ++i) {
    if (!fits_tenant(rules_[i], tenant)) continue;
    possible.push_back(static_cast<Number>(i + 1));
    has_general = !is_of_tenants(rules_[i]);  // else it fits each of the tenant's series
  }
  if (has_general) possible.push_back(kNone);
  return possible;
}

Retention RetentionClasses::longest_of(std::string_view tenant) const {
  const std::vector<Number> possible = possible_of(tenant);
  Retention longest = retentions_[possible[0]];
  for (const Number number : possible) take(longest, retentions_[number], kLonger);
  return longest;
}

Retention RetentionClasses::longest() const {
  Retention longest = retentions_[kNone];
  for (const Retention& one : retentions_) take(longest, one, kLonger);
  return longest;
}

Retention RetentionClasses::shortest() const {
  Retention shortest = retentions_[kNone];
  for (const Retention& one : retentions_) take(shortest, one, kShorter);
  return shortest;
}

std::int64_t RetentionClasses::fingerprint() const {
  if (rules_.empty()) return 0;
  std::string all;
  const auto add = [&all](std::string_view text) { all.append(std::to_string(text.size())).append(":").append(text); };
  for (const RetentionRule& rule : rules_) {
    add(std::to_string(rule.retention_ms));
    add(std::to_string(rule.conditions.size()));
    for (const Condition& condition : rule.conditions) {
      add(std::to_string(static_cast<unsigned>(condition.on) * 2 + (condition.is_prefix ? 1 : 0)));
      add(condition.key);
      add(condition.value);
    }
  }
  return std::max<std::int64_t>(static_cast<std::int64_t>(codec::hash64(all, 0) >> 1), 1);
}

}  // namespace varve::rollup
