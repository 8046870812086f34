// SPDX-License-Identifier: Apache-2.0
// NewTenant: the line groups of a request whose tenant has no series yet. The tenant is created with the first valid
// row of the request, not before: an empty or refused body leaves nothing behind. Until then groups have provisional
// ids, which no store gives, and which are replaced by those of the store with the first row.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/line_group.h"
#include "model/row.h"
#include "model/tags.h"

namespace varve::write {

// Of one request, one thread.
class NewTenant final : public model::GroupSource {
 public:
  // Creates the tenant and returns its groups; called until it succeeds. Errors: limit (limits.tenants), what the store
  // says.
  using Birth = std::function<Result<std::shared_ptr<model::GroupSource>>()>;

  // Has the store a tenant of this name? Then only this process has yet to meet it. Errors: what the store says.
  using Exists = std::function<Result<bool>()>;

  // KeptGroup::kept of a line group of the tenant.
  using Kept = std::function<std::uint8_t(const model::TagViews& tags, std::span<const std::string_view> metrics)>;

  // `batch`: the rows of the request. `checks`: only its check() is called.
  NewTenant(model::RowBatch& batch, model::GroupSource& checks, Birth birth, Exists exists, Kept kept)
      : batch_(batch), checks_(checks), birth_(std::move(birth)), exists_(std::move(exists)), kept_(std::move(kept)) {}

  model::LineGroup* find(std::string_view name, std::string_view fields) override;
  Status check(const model::TagViews& tags, std::span<const std::string_view> metrics) override {
    return checks_.check(tags, metrics);
  }
  [[nodiscard]] std::uint8_t kept(const model::TagViews& tags,
                                  std::span<const std::string_view> metrics) const override {
    return kept_(tags, metrics);
  }
  // Of a tenant that is yet to be made: no.
  [[nodiscard]] Result<bool> knows(const model::TagViews& tags, std::span<const std::string_view> metrics) override;
  Result<model::LineGroup*> define(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                   std::span<const std::string_view> metrics, std::uint32_t ttl_s) override;

  // Afterwards the tenant exists and has the series of the rows, if there are any. Errors: those of Birth and of
  // define().
  Status settle();

 private:
  struct Promise {
    std::string name;    // padded, as LineGroup wants it
    std::string fields;  // the same
    model::Tags tags;
    std::vector<std::string> metrics;
    model::LineGroup group;
  };
  // The id of the promise at `place`, and back: from the last one down, where no group of a store is.
  static constexpr std::uint32_t kLastId = model::to_int(model::kNoGroup) - 1;
  static model::GroupId id_of(std::size_t place) { return model::GroupId{kLastId - static_cast<std::uint32_t>(place)}; }
  static std::size_t place_of(model::GroupId id) { return kLastId - model::to_int(id); }
  Result<model::LineGroup*> promise(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                    std::span<const std::string_view> metrics, std::uint32_t ttl_s);
  Status be_born();
  Status keep_promises(model::GroupSource& groups);

  model::RowBatch& batch_;
  model::GroupSource& checks_;
  const Birth birth_;
  const Exists exists_;
  const Kept kept_;
  std::shared_ptr<model::GroupSource> groups_;  // the tenant's, once it has what was promised
  std::deque<Promise> promises_;                // addresses stay; a promised group's id says its place here
  std::map<std::string, model::LineGroup*> named_;
};

}  // namespace varve::write
