// SPDX-License-Identifier: Apache-2.0
// Stored sections: those of one sealed block of messages, as rows. What a question reads next is read together
// (fetch()), and held until more is fetched; what many questions read is kept for them, too.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/mutex.h"
#include "engine/cassandra/tables/row_store.h"
#include "engine/shared/cache.h"
#include "message/block/parts.h"

namespace varve::engine::cassandra {

// Texts have a cache of their own: who reads many of them leaves the columns of others alone.
struct SectionCaches {
  explicit SectionCaches(std::size_t bytes_max)
      : columns(bytes_max / 4), texts(bytes_max / 2), decoded(bytes_max / 4) {}
  shared::SectionCache columns, texts;
  shared::Cache<void> decoded;  // of columns (message/block/decoded.h)
};

// Thread-safe. `rows` and `caches` must outlive it.
class StoredSections final : public message::block::Sections {
 public:
  // `read`: the block's partition. A block never changes under its name: the caches may have it for ever.
  StoredSections(RowStore& rows, RowRead read, SectionCaches& caches);

  // Errors: unavailable (also: the block was replaced and is gone), and those of the store.
  [[nodiscard]] Result<Section> read(std::uint32_t section) const override;
  [[nodiscard]] Result<Section> read_checked(std::uint32_t section) const override;
  [[nodiscard]] bool is_far() const override { return true; }
  void fetch(std::span<const std::uint32_t> sections, bool is_text) const override;
  [[nodiscard]] bool keeps_decoded() const override { return true; }
  [[nodiscard]] std::shared_ptr<const void> decoded(std::uint32_t what) const override;
  void keep_decoded(std::uint32_t what, std::shared_ptr<const void> value, std::size_t bytes) const override;

 private:
  using Held = std::map<std::uint32_t, Section>;
  [[nodiscard]] std::string cache_key(std::uint32_t number) const;  // of a section, or of what was decoded
  Status read_all(std::span<const std::uint32_t> sections, Held& out) const;

  RowStore& rows_;
  const RowRead read_;
  SectionCaches& caches_;
  std::string name_;  // of the block, in the cache
  mutable Mutex mutex_;
  mutable Held held_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::engine::cassandra
