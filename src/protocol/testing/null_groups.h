// SPDX-License-Identifier: Apache-2.0
// NullGroups: a GroupSource for benchmarks: a plain hash table, groups in the order of their definition.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "model/line_group.h"

namespace varve::protocol::testing {

class NullGroups final : public model::GroupSource {
 public:
  explicit NullGroups(bool keep_names = true) : keep_names_(keep_names) {}

  model::LineGroup* find(std::string_view name, std::string_view fields) override {
    const auto at = groups_.find(key(codec::hash128(name), fields));
    return at == groups_.end() ? nullptr : at->second;
  }
  Status check(const model::TagViews&, std::span<const std::string_view>) override { return {}; }
  [[nodiscard]] std::uint8_t kept(const model::TagViews&, std::span<const std::string_view>) const override {
    return 0;
  }
  [[nodiscard]] Result<bool> knows(const model::TagViews&, std::span<const std::string_view>) override {
    return !all_.empty();
  }
  Result<model::LineGroup*> define(std::string_view name, std::string_view fields, const model::TagViews&,
                                   std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override {
    auto& one = all_.emplace_back();
    one.name = std::string(name) + std::string(model::LineGroup::kReadable, '\0');
    one.group.id = model::GroupId{static_cast<std::uint32_t>(all_.size() - 1)};
    one.group.count = static_cast<std::uint16_t>(metrics.size());
    one.group.name_bytes = static_cast<std::uint32_t>(name.size());
    one.group.raw_name = keep_names_ ? one.name.data() : nullptr;
    one.group.hash = codec::hash128(name);
    one.group.ttl_s = ttl_s;
    std::string list = std::string(fields) + std::string(model::LineGroup::kReadable, '\0');
    one.group.fields = std::string_view(*lists_.insert(std::move(list)).first).substr(0, fields.size());
    groups_[key(one.group.hash, fields)] = &one.group;
    return &one.group;
  }

 private:
  static std::uint64_t key(codec::Hash128 name, std::string_view fields) { return codec::hash64(fields, name.low); }
  struct Known {
    std::string name;
    model::LineGroup group;
  };
  bool keep_names_;
  std::deque<Known> all_;
  std::unordered_set<std::string> lists_;  // of fields; groups of one measurement share theirs
  std::unordered_map<std::uint64_t, model::LineGroup*> groups_;
};

}  // namespace varve::protocol::testing
