// SPDX-License-Identifier: Apache-2.0
// Short ways to put messages into a store and to read back what it has, for the contract suites.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/mutex.h"
#include "base/wait.h"
#include "message/block/block.h"
#include "message/made_ids.h"
#include "storage/message_store.h"
#include "storage/testing/store_fixture.h"

namespace varve::storage::testing {

// What a test says of a message, and finds again.
struct TestMessage {
  std::int64_t time_us = 0;
  std::string text;
  std::string id = {};  // 16 bytes, or none: it is of the arrival
  std::string source = {};
  unsigned nanos = 0;
  std::vector<std::string> objects = {};
  std::map<std::string, std::string> fields = {};
  bool operator==(const TestMessage&) const = default;
};
// NOLINTNEXTLINE(readability-identifier-naming): the name that gtest looks for
inline void PrintTo(const TestMessage& message, std::ostream* out) {
  *out << message.time_us << "+" << message.nanos << " " << message.source << " " << message.text.substr(0, 20);
}

// `ids`: then the id of one that has none is computed from what it says.
inline void add_message(message::Batch& batch, const TestMessage& one, message::MadeIds* ids = nullptr) {
  message::Builder builder(batch);
  builder.start();
  EXPECT_TRUE(builder.set(message::Column::text, one.text));
  const bool has_source = !one.source.empty();
  EXPECT_TRUE(!has_source || builder.set(message::Column::source, one.source));
  std::array<char, message::kIdBytes> id{};
  std::ranges::copy(one.id, id.begin());
  if (!one.id.empty()) builder.set_id(id);
  for (const std::string& object : one.objects) EXPECT_TRUE(builder.add_object(object));
  for (const auto& [name, value] : one.fields) {
    EXPECT_TRUE(builder.add_field(name, message::FieldForm::text, value));
  }
  if (ids == nullptr || !one.id.empty()) return builder.finish(one.time_us, one.nanos);
  builder.finish_with_computed_id(one.time_us, one.nanos);
  ids->number(batch);
}

inline TestMessage test_message(message::RowView row) {
  TestMessage out;
  out.time_us = row.time_us();
  out.nanos = row.nanos();
  if (const message::Id id = message::id_of(row); message::has_lasting_id(row)) out.id.assign(id.begin(), id.end());
  message::CellReader cells = row.reader();
  for (message::Cell cell; cells.next(cell);) {
    switch (cell.column) {
      case message::Column::text: out.text = cell.text; break;
      case message::Column::source: out.source = cell.text; break;
      case message::Column::id: break;
      case message::Column::object: out.objects.emplace_back(cell.text); break;
      case message::Column::field: out.fields.emplace(cell.name, cell.text); break;
      default: ADD_FAILURE() << "a column that no test sets";
    }
  }
  return out;
}

// What a part holds, whatever it is.
class PartRows {
 public:
  // With those of other times.
  static Result<PartRows> read(const MessagePart& part, std::int64_t first_us, std::int64_t last_us) {
    PartRows out;
    if (part.block == nullptr) {
      VARVE_ASSIGN_OR_RETURN(out.read_, part.read(first_us, last_us));
      for (const auto& piece : out.read_.pieces) out.add(piece);
      return out;
    }
    VARVE_ASSIGN_OR_RETURN(auto block, message::block::Block::open(part.block));
    std::vector<std::uint32_t> all(block.messages());
    std::iota(all.begin(), all.end(), 0U);
    VARVE_RETURN_IF_ERROR(block.rows(all, out.batch_));
    out.add(out.batch_.bytes());
    return out;
  }
  [[nodiscard]] const std::vector<message::RowView>& rows() const { return rows_; }

 private:
  void add(std::span<const std::byte> piece) {
    for (const std::byte* at = piece.data(); at != piece.data() + piece.size();) {
      const std::size_t bytes = message::check_row(at, piece.data() + piece.size());
      ASSERT_NE(bytes, 0U) << "a row that is not well-formed";
      rows_.push_back({at});
      at += bytes;
    }
  }
  MessageRows read_;
  message::Batch batch_;
  std::vector<message::RowView> rows_;
};

class MessageFixture {
 public:
  explicit MessageFixture(Engine& engine) : engine_(engine) {}

  Status append(std::string_view tenant, const message::Batch& batch) {
    Mutex mutex;
    Condition told;
    std::optional<Status> got;
    engine_.messages()->append_messages(tenant, batch, [&](Status status) {
      const MutexLock lock(mutex);
      EXPECT_FALSE(got) << "called back twice";
      got = std::move(status);
      told.notify_all();
    });
    const MutexLock lock(mutex);
    while (!got) told.wait(mutex);
    return *got;
  }
  Status put(std::string_view tenant, const std::vector<TestMessage>& messages) {
    message::Batch batch;
    for (const TestMessage& one : messages) add_message(batch, one);
    return append(tenant, batch);
  }
  // With ids that are computed.
  Status put_as_request(std::string_view tenant, const std::vector<TestMessage>& messages) {
    message::Batch batch;
    message::MadeIds ids(batch);
    for (const TestMessage& one : messages) add_message(batch, one, &ids);
    return append(tenant, batch);
  }

  struct Seen {
    std::uint64_t arrival = 0;
    TestMessage message;
  };
  // All that parts of the range hold, also what lies outside it, by time and arrival; repeats as often as they stand.
  std::vector<Seen> parts(std::string_view tenant, std::int64_t first_us, std::int64_t last_us) {
    std::vector<Seen> out;
    const auto parts = engine_.messages()->message_parts(tenant, first_us, last_us);
    EXPECT_TRUE(parts) << parts.error().message;
    if (!parts) return out;
    std::vector<std::tuple<std::int64_t, unsigned, std::uint64_t>> order;
    for (const MessagePart& part : *parts) {
      EXPECT_TRUE(part.first_us <= last_us && part.last_us >= first_us) << "a part without the range";
      const auto rows = PartRows::read(part, first_us, last_us);
      EXPECT_TRUE(rows) << rows.error().message;
      if (!rows) continue;
      EXPECT_LE(rows->rows().size(), part.messages);
      for (const message::RowView row : rows->rows()) {
        EXPECT_GE(row.time_us(), part.first_us);
        EXPECT_LE(row.time_us(), part.last_us);
        out.push_back({row.arrival(), test_message(row)});
      }
    }
    std::ranges::sort(out, {},
                      [](const Seen& one) { return std::tuple(one.message.time_us, one.message.nanos, one.arrival); });
    return out;
  }
  // Those of the range; of those with the same time and id the first one.
  std::vector<TestMessage> read(std::string_view tenant, std::int64_t first_us, std::int64_t last_us) {
    std::vector<TestMessage> out;
    std::set<std::tuple<std::int64_t, unsigned, std::string>> ids;
    for (Seen& one : parts(tenant, first_us, last_us)) {
      if (one.message.time_us < first_us || one.message.time_us > last_us) continue;
      const auto key = std::tuple(one.message.time_us, one.message.nanos, one.message.id);
      if (!one.message.id.empty() && !ids.insert(key).second) continue;
      out.push_back(std::move(one.message));
    }
    return out;
  }

 private:
  Engine& engine_;
};

}  // namespace varve::storage::testing
