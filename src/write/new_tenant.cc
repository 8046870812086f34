// SPDX-License-Identifier: Apache-2.0
#include "write/new_tenant.h"

#include <string_view>
#include <utility>

namespace varve::write {

using model::LineGroup;

namespace {

std::string key_of(std::string_view name, std::string_view fields) {
  return std::to_string(name.size()).append(1, ':').append(name).append(fields);
}

}  // namespace

LineGroup* NewTenant::find(std::string_view name, std::string_view fields) {
  if (groups_ != nullptr) return groups_->find(name, fields);
  const auto known = named_.find(key_of(name, fields));
  return known == named_.end() ? nullptr : known->second;
}

Result<bool> NewTenant::knows(const model::TagViews& tags, std::span<const std::string_view> metrics) {
  VARVE_RETURN_IF_ERROR(settle());  // a series of this request is known, too
  if (groups_ == nullptr) {
    VARVE_ASSIGN_OR_RETURN(const bool exists, exists_());
    if (!exists) {
      VARVE_RETURN_IF_ERROR(checks_.check(tags, metrics));
      return false;
    }
    VARVE_RETURN_IF_ERROR(be_born());
  }
  return groups_->knows(tags, metrics);
}

Result<LineGroup*> NewTenant::define(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                     std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  VARVE_RETURN_IF_ERROR(settle());
  if (groups_ != nullptr) return groups_->define(name, fields, tags, metrics, ttl_s);
  return promise(name, fields, tags, metrics, ttl_s);
}

Result<LineGroup*> NewTenant::promise(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                      std::span<const std::string_view> metrics, std::uint32_t ttl_s) {
  VARVE_RETURN_IF_ERROR(checks_.check(tags, metrics));
  Promise& made = promises_.emplace_back();
  made.name.assign(name).append(LineGroup::kReadable, '\0');
  made.fields.assign(fields).append(LineGroup::kReadable, '\0');
  made.tags = model::to_tags(tags);
  made.metrics.assign(metrics.begin(), metrics.end());
  made.group.id = id_of(promises_.size() - 1);
  made.group.count = static_cast<std::uint16_t>(metrics.size());
  made.group.name_bytes = static_cast<std::uint32_t>(name.size());
  made.group.kept = kept_(tags, metrics);
  made.group.ttl_s = ttl_s;
  made.group.raw_name = made.name.data();
  made.group.hash = codec::hash128(name);
  if (!fields.empty()) made.group.fields = std::string_view(made.fields).substr(0, fields.size());
  named_.emplace(key_of(name, fields), &made.group);
  return &made.group;
}

Status NewTenant::settle() { return groups_ != nullptr || batch_.empty() ? Status() : be_born(); }

Status NewTenant::be_born() {
  VARVE_ASSIGN_OR_RETURN(auto groups, birth_());
  VARVE_RETURN_IF_ERROR(keep_promises(*groups));
  groups_ = std::move(groups);
  return {};
}

// Rows, and whoever still knows a promised group, have the store's numbers afterwards.
Status NewTenant::keep_promises(model::GroupSource& groups) {
  std::vector<model::GroupId> ids;
  for (const Promise& made : promises_) {
    const model::TagViews tags = model::to_views(made.tags);
    const std::vector<std::string_view> metrics(made.metrics.begin(), made.metrics.end());
    const std::string_view name(made.name.data(), made.group.name_bytes);
    LineGroup* known = groups.find(name, made.group.fields);
    if (known == nullptr) {
      VARVE_ASSIGN_OR_RETURN(known, groups.define(name, made.group.fields, tags, metrics, made.group.ttl_s));
    }
    ids.push_back(known->id);
  }
  std::size_t at = 0;
  for (std::size_t row = 0; row < batch_.rows(); ++row) {
    const model::RowView view = batch_.row_at(at);
    batch_.regroup(at, ids[place_of(view.group())]);
    at += view.bytes();
  }
  for (std::size_t i = 0; i < ids.size(); ++i) promises_[i].group.id = ids[i];
  return {};
}

}  // namespace varve::write
