// SPDX-License-Identifier: Apache-2.0
// GroupTable: maps raw bytes to the line groups of one tenant and protocol family.
//
// find() takes no lock: 16 shards of open addressing, each slot a pointer with 16 bits of the hash above it; a shard
// that fills up is copied to one half as large again, alone, and the old array is retired. Groups go with their table.
// A group costs 64 bytes and its slot (9 to 14); its raw name is kept only while NameBudget lasts, after that the
// 128-bit hash stands for it (docs/decisions/0007).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/mutex.h"
#include "model/line_group.h"
#include "model/tags.h"
#include "storage/series_store.h"
#include "write/kept_of.h"
#include "write/retired.h"

namespace varve::write {

// Shared by all tables of a Writer.
struct TableContext {
  storage::SeriesStore& series;
  model::TagLimits limits;
  std::atomic<std::int64_t> name_bytes_left;  // for raw names
  Retired retired;
  KeptOf kept_of = nullptr;

  // Of tags as they were sent, or cleaned already.
  [[nodiscard]] std::uint8_t kept(std::string_view tenant, const model::TagViews& tags,
                                  std::span<const std::string_view> metrics) const;
};

// Thread-safe, as long as each thread that calls it has entered context.retired.
class GroupTable final : public model::GroupSource {
 public:
  GroupTable(TableContext& context, model::TenantId tenant, std::string_view name = {});
  ~GroupTable() override;
  GroupTable(const GroupTable&) = delete;
  GroupTable& operator=(const GroupTable&) = delete;

  model::LineGroup* find(std::string_view name, std::string_view fields) override;
  Status check(const model::TagViews& tags, std::span<const std::string_view> metrics) override;
  [[nodiscard]] std::uint8_t kept(const model::TagViews& tags,
                                  std::span<const std::string_view> metrics) const override {
    return context_.kept(name_, tags, metrics);
  }
  [[nodiscard]] Result<bool> knows(const model::TagViews& tags, std::span<const std::string_view> metrics) override;
  Result<model::LineGroup*> define(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                   std::span<const std::string_view> metrics, std::uint32_t ttl_s = 0) override;

  [[nodiscard]] std::size_t memory_bytes() const;

  // Are the numbers of its groups good for later requests?
  [[nodiscard]] bool is_current() const { return generation_ == context_.series.group_generation(); }

  // When a request last began to use it, steady; for Writer.
  std::atomic<std::int64_t> used_ns{0};

 private:
  static constexpr unsigned kShards = 16;

  struct Key {
    codec::Hash128 name;
    std::uint64_t mixed;  // of name and fields: shard, place and mark
  };
  struct Slots {
    explicit Slots(std::uint32_t n) : size(n), at(new std::atomic<std::uint64_t>[n]()) {}
    std::uint32_t size;
    std::unique_ptr<std::atomic<std::uint64_t>[]> at;
  };
  struct Shard {
    std::atomic<Slots*> slots{nullptr};
    Mutex mutex;  // of define()
    std::uint32_t used VARVE_GUARDED_BY(mutex) = 0;
  };

  // The first part of define(): calls `todo` with the tags after the limits were applied, if tags and metrics are
  // within the limits.
  template <class Todo>
  auto with_clean_tags(const model::TagViews& tags, std::span<const std::string_view> metrics, const Todo& todo)
      -> decltype(todo(tags));
  Result<model::LineGroup*> define_clean(std::string_view name, std::string_view fields, const model::TagViews& tags,
                                         std::span<const std::string_view> metrics, std::uint32_t ttl_s);
  static Key key_of(std::string_view name, std::string_view fields);
  static std::uint32_t place(std::uint64_t mixed, std::uint32_t size);
  static void insert(Slots& slots, std::uint64_t mixed, const model::LineGroup* group);
  model::LineGroup* find(const Key& key, std::string_view name, std::string_view fields) const;
  void make_room(Shard& shard) VARVE_REQUIRES(shard.mutex);
  model::LineGroup* new_group(std::string_view name, std::string_view fields) VARVE_EXCLUDES(memory_mutex_);
  const char* keep(std::string_view bytes, std::size_t room) VARVE_REQUIRES(memory_mutex_);

  TableContext& context_;
  model::TenantId tenant_;
  const std::string name_;          // of the tenant
  const std::uint64_t generation_;  // SeriesStore::group_generation() when it was made
  std::array<Shard, kShards> shards_;

  // Groups and their bytes, in the order of their definition, which is the order in which senders repeat them.
  mutable Mutex memory_mutex_;
  std::vector<std::unique_ptr<model::LineGroup[]>> slabs_ VARVE_GUARDED_BY(memory_mutex_);
  std::size_t slab_size_ VARVE_GUARDED_BY(memory_mutex_) = 0;  // of the last one, in groups
  std::size_t slab_used_ VARVE_GUARDED_BY(memory_mutex_) = 0;
  std::vector<std::unique_ptr<char[]>> chunks_ VARVE_GUARDED_BY(memory_mutex_);
  std::size_t chunk_size_ VARVE_GUARDED_BY(memory_mutex_) = 0;
  std::size_t chunk_used_ VARVE_GUARDED_BY(memory_mutex_) = 0;
  std::size_t memory_bytes_ VARVE_GUARDED_BY(memory_mutex_) = 0;
  std::int64_t name_bytes_ VARVE_GUARDED_BY(memory_mutex_) = 0;  // of context_.name_bytes_left
  std::unordered_set<std::string_view> field_lists_ VARVE_GUARDED_BY(memory_mutex_);
};

}  // namespace varve::write
