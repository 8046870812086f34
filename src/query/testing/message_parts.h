// SPDX-License-Identifier: Apache-2.0
// A store of messages for tests: what it is given is rows in memory, a sealed block, or half of each.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "message/block/encode.h"
#include "message/block/testing/messages.h"
#include "message/builder.h"
#include "storage/message_store.h"

namespace varve::query::testing {

class MessageParts final : public storage::MessageStore {
 public:
  enum class Kept { hot, sealed, half };

  // Messages of tenant t. The batch has to outlive the store.
  MessageParts(message::Batch& batch, Kept kept) {
    auto rows = message::block::testing::rows_of(batch);
    std::ranges::stable_sort(rows, {}, message::time_order);
    std::vector<message::RowView> sealed, hot;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool seals = kept == Kept::sealed || (kept == Kept::half && i % 3 != 0);
      (seals ? sealed : hot).push_back(rows[i]);
    }
    add_sealed(std::span(sealed).first(sealed.size() / 2));
    add_sealed(std::span(sealed).subspan(sealed.size() / 2));
    for (const message::RowView row : hot) {
      storage::MessagePart part{row.time_us(), row.time_us(), 1};
      part.read = [row](std::int64_t, std::int64_t) -> Result<storage::MessageRows> {
        return storage::MessageRows{{row.span()}, nullptr};
      };
      parts_.push_back(std::move(part));
    }
  }

  void append_messages(std::string_view, const message::Batch&, AppendDone done) override { done({}); }
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view tenant, std::int64_t first_us,
                                                                        std::int64_t last_us) const override {
    std::vector<storage::MessagePart> out;
    for (const storage::MessagePart& part : parts_) {
      if (tenant == "t" && part.first_us <= last_us && part.last_us >= first_us) out.push_back(part);
    }
    return out;
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view) const override { return names_; }
  Result<std::uint64_t> delete_messages(std::string_view, std::int64_t, std::int64_t, const message::Condition&,
                                        const storage::GoOn&) override {
    return fail(Code::unsupported, "a store that is read");
  }
  void name_field(std::string name) { names_.fields.insert(std::move(name)); }

 private:
  void add_sealed(std::span<const message::RowView> rows) {
    if (rows.empty()) return;
    auto encoded = message::block::encode_block(rows);
    check(encoded.has_value(), "rows make a block");
    parts_.push_back({encoded->first_us, encoded->last_us, rows.size(), nullptr,
                      std::make_shared<message::block::testing::MemorySections>(std::move(encoded->sections))});
  }

  std::vector<storage::MessagePart> parts_;
  storage::MessageNames names_;
};

}  // namespace varve::query::testing
