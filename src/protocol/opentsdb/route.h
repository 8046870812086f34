// SPDX-License-Identifier: Apache-2.0
// Where OpenTSDB's samples go: a tag named `tenant` takes a sample to another tenant's groups and batch.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/line_group.h"
#include "model/row.h"
#include "model/tags.h"
#include "protocol/group_cursor.h"
#include "protocol/split_key.h"

namespace varve::protocol::opentsdb {

struct Target {
  model::GroupSource* groups = nullptr;
  model::RowBatch* batch = nullptr;
};

// Implemented by the caller.
class Targets {
 public:
  virtual ~Targets() = default;
  // For a tenant named by a tag (not checked yet), or "" for the tenant of the request or connection. Asked when the
  // tenant changes from one sample to the next; the same tenant must get the same target until the caller commits.
  // Errors: invalid (no such name; no tenant named at all), unavailable.
  virtual Result<Target> of(std::string_view tenant) = 0;
};

// What a tag named `tenant` means.
enum class TenantTag {
  names,    // the tenant of its sample; it is no tag of the series
  ignored,  // nothing, because the request names its tenant itself (path, header); it is no tag of the series
  plain     // a tag as any other
};

// Finds and defines groups for samples in the order they come. The key's bytes name a group in exactly one tenant:
// keys without a `tenant` tag only in the request's own, keys with one only in the tenant it names.
class Route {
 public:
  Route(Targets& targets, TenantTag tag) : targets_(targets), tag_(tag) {}

  // The group that may come next, of the current tenant; compare, then ask takes().
  [[nodiscard]] model::LineGroup* guess() const { return cursor_.guess(); }

  // May a group found in the current tenant be taken for this key? `tenant_tag()` says whether it has a `tenant` tag.
  // Without a current tenant, goes to the request's own.
  template <class HasTenantTag>
  [[nodiscard]] bool takes(HasTenantTag&& tenant_tag) {
    if (current_ == Current::own) [[likely]]
      return true;
    if (tenant_tag()) return current_ == Current::tagged;
    return current_ == Current::none && enter(Current::own, {}).has_value();
  }

  // In the current tenant; nullptr: not known there.
  model::LineGroup* find(std::string_view key) { return target_.groups->find(key, {}); }

  // With the meaning of the key, which says the time to live, too: goes to the right tenant and finds or defines the
  // group there. Takes `tenant` out of the tags, if it is no plain one. Errors: of Targets::of, model::normalize and
  // GroupSource::define; too_old, and then nothing is defined.
  Result<model::LineGroup*> resolve(std::string_view key, std::string_view metric, model::Timestamp time,
                                    model::TagViews& tags, std::uint32_t ttl_s = 0);

  void step(model::LineGroup* group) { cursor_.step(group); }
  [[nodiscard]] model::RowBatch& batch() { return *target_.batch; }

  // The caller has taken the batches: ask for the targets again.
  void restart() {
    current_ = Current::none;
    target_ = {};
    cursor_.reset();
  }

 private:
  enum class Current { none, own, tagged };
  Status enter(Current which, std::string_view tenant);

  Targets& targets_;
  TenantTag tag_;
  Current current_ = Current::none;
  std::string tenant_;  // of Current::tagged
  Target target_;
  GroupCursor cursor_;
};

}  // namespace varve::protocol::opentsdb
