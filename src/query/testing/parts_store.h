// SPDX-License-Identifier: Apache-2.0
// A store of messages that consists of the parts that a test gives it, as rows or as blocks.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "message/block/encode.h"
#include "message/block/testing/messages.h"
#include "message/builder.h"
#include "storage/message_store.h"

namespace varve::query::testing {

// Parts that count how often they are read.
class PartsStore final : public storage::MessageStore {
 public:
  struct Message {
    std::int64_t time_us;
    std::string text;
    std::uint64_t arrival;
    std::string id = {};  // 16 bytes, or none
    int level = -1;       // −1: none
  };
  // A part of these messages; sealed ones have to be in order.
  void add(const std::vector<Message>& messages, bool sealed = false) {
    auto batch = std::make_shared<message::Batch>();
    message::Builder builder(*batch);
    for (const Message& one : messages) {
      builder.start();
      EXPECT_TRUE(builder.set(message::Column::text, one.text));
      std::array<char, message::kIdBytes> id{};
      std::copy(one.id.begin(), one.id.end(), id.begin());
      if (!one.id.empty()) builder.set_id(id);
      if (one.level >= 0) builder.set(message::Column::level, one.level);
      const std::size_t at = batch->bytes().size();
      builder.finish(one.time_us);
      message::set_arrival(const_cast<std::byte*>(batch->bytes().data()) + at, one.arrival);
    }
    Block block = sealed ? sealed_of(*batch) : nullptr;
    batches_.emplace_back(std::move(batch), std::move(block));
  }
  void append_messages(std::string_view, const message::Batch&, AppendDone done) override { done({}); }
  [[nodiscard]] Result<std::vector<storage::MessagePart>> message_parts(std::string_view tenant, std::int64_t first_us,
                                                                        std::int64_t last_us) const override {
    std::vector<storage::MessagePart> out;
    if (tenant != "t") return out;
    for (const auto& [batch, block] : batches_) {
      if (batch->first_us() > last_us || batch->last_us() < first_us) continue;
      if (block != nullptr) {
        out.push_back({batch->first_us(), batch->last_us(), batch->rows(), nullptr, block});
        continue;
      }
      out.push_back({batch->first_us(), batch->last_us(), batch->rows(),
                     [this, held = batch](std::int64_t, std::int64_t) -> Result<storage::MessageRows> {
                       ++reads;
                       if (fails) return fail(Code::corrupt, "damaged");
                       return storage::MessageRows{{held->bytes()}, held};
                     }});
    }
    return out;
  }
  [[nodiscard]] Result<storage::MessageNames> message_names(std::string_view) const override { return {}; }
  Result<std::uint64_t> delete_messages(std::string_view, std::int64_t, std::int64_t, const message::Condition&,
                                        const storage::GoOn&) override {
    return fail(Code::unsupported, "a store that is read");
  }

  mutable int reads = 0;
  bool fails = false;

 private:
  using Block = std::shared_ptr<const message::block::Sections>;
  static Block sealed_of(const message::Batch& batch) {
    std::vector<message::RowView> rows;
    for (const std::byte* at = batch.bytes().data(); rows.size() < batch.rows(); at += rows.back().bytes())
      rows.push_back({at});
    auto encoded = message::block::encode_block(rows);
    EXPECT_TRUE(encoded);
    return std::make_shared<message::block::testing::MemorySections>(std::move(encoded->sections));
  }
  std::vector<std::pair<std::shared_ptr<message::Batch>, Block>> batches_;
};

}  // namespace varve::query::testing
