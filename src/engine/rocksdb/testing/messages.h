// SPDX-License-Identifier: Apache-2.0
// Messages of a store as a plain list.
#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "message/block/row_cursor.h"
#include "message/builder.h"
#include "message/id.h"
#include "storage/message_store.h"

namespace varve::engine::rocksdb::testing {

struct SeenMessage {
  std::int64_t time_us = 0;
  std::uint64_t arrival = 0;
  std::string text;
  std::string id;  // 16 bytes, or empty: it is of the arrival
  auto operator<=>(const SeenMessage&) const = default;
};

inline SeenMessage seen_message(message::RowView row) {
  const auto text = row.cell(message::Column::text);
  const message::Id id = message::id_of(row);
  return {row.time_us(), row.arrival(), std::string(text ? text->text : ""),
          message::has_lasting_id(row) ? std::string(id.begin(), id.end()) : std::string()};
}

// All that the part hands out for the time.
inline std::vector<SeenMessage> messages_of(const storage::MessagePart& part, std::int64_t first_us,
                                            std::int64_t last_us) {
  std::vector<SeenMessage> out;
  const auto add = [&](message::RowView row) {
    EXPECT_GE(row.time_us(), part.first_us);
    EXPECT_LE(row.time_us(), part.last_us);
    out.push_back(seen_message(row));
  };
  if (part.block) {
    auto block = std::make_shared<message::block::Block>(message::block::Block::open(part.block).value());
    message::block::RowCursor rows(block, message::block::Bitmap(block->messages(), true), false);
    for (auto row = rows.next().value(); row; row = rows.next().value()) add(*row);
    EXPECT_EQ(out.size(), part.messages);
    return out;
  }
  const auto read = part.read(first_us, last_us).value();
  for (const auto& rows : read.pieces) {
    for (const std::byte* at = rows.data(); at != rows.data() + rows.size();) {
      const message::RowView row{at};
      add(row);
      at += row.bytes();
    }
  }
  EXPECT_LE(out.size(), part.messages);
  return out;
}

inline std::vector<SeenMessage> messages_of(const storage::MessageStore& store, std::string_view tenant,
                                            std::int64_t first_us, std::int64_t last_us) {
  std::vector<SeenMessage> out;
  const auto parts = store.message_parts(tenant, first_us, last_us).value();
  for (const auto& part : parts) {
    const auto some = messages_of(part, first_us, last_us);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

// Of such messages: texts, and ids where they are not empty.
inline Status put_messages(storage::MessageStore& store, std::string_view tenant,
                           const std::vector<SeenMessage>& messages) {
  message::Batch batch;
  message::Builder builder(batch);
  for (const SeenMessage& one : messages) {
    builder.start();
    EXPECT_TRUE(builder.set(message::Column::text, one.text));
    if (!one.id.empty()) {
      std::array<char, message::kIdBytes> id{};
      std::ranges::copy(one.id, id.begin());
      builder.set_id(id);
    }
    builder.finish(one.time_us);
  }
  std::promise<Status> got;
  store.append_messages(tenant, batch, [&](Status status) { got.set_value(std::move(status)); });
  return got.get_future().get();
}

}  // namespace varve::engine::rocksdb::testing
