// SPDX-License-Identifier: Apache-2.0
// Block: a sealed block of messages, read. What is asked for is decoded then, and kept as long as the block: open one
// for a question, and let it go. For one thread at a time. Every reading may fail: corrupt, or what Sections gives.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "message/block/bitmap.h"
#include "message/block/parts.h"
#include "message/builder.h"
#include "message/condition.h"

namespace varve::message::block {

// A column that messages are grouped by; time: by windows of that width, which begin at its multiples, or (in
// nanoseconds) at multiples behind an origin.
struct GroupColumn {
  Column column{};
  std::string field = {};  // name of the free field, if it is one
  std::int64_t window_us = 0;
  std::int64_t window_ns = 0, origin_ns = 0;
};

class Block {
 public:
  // Reads section 0 only.
  static Result<Block> open(std::shared_ptr<const Sections> sections);
  Block(Block&&) noexcept;
  Block& operator=(Block&&) noexcept;
  ~Block();

  [[nodiscard]] std::size_t messages() const;
  [[nodiscard]] std::int64_t first_us() const;
  [[nodiscard]] std::int64_t last_us() const;

  // By row, ascending. Valid as long as the block.
  Result<std::span<const std::int64_t>> times();
  // By row: the u64 of the packed row.
  Result<std::span<const std::int64_t>> arrivals();

  // The times are asked for next, then find() with this condition: from far away both come at once.
  void expect(const Condition& condition);

  // The messages that fulfil the condition, as matches() says: of all, or of those that `among` has.
  Result<Bitmap> find(const Condition& condition);
  Result<Bitmap> find(const Condition& condition, const Bitmap& among);

  // Appends the packed rows, bit for bit as they were, in the order of `which`.
  Status rows(std::span<const std::uint32_t> which, Batch& out);

  // Distinct terms with the number of messages that have them, sorted by term (numbers by number, written as decimals).
  // `field` names the free field if the column is one. `among`: nullptr: all messages. Not for text, id and time.
  struct Count {
    std::string term;
    std::size_t messages = 0;
  };
  Result<std::vector<Count>> counts(Column column, std::string_view field = {}, const Bitmap* among = nullptr);
  // The messages of `among` with the same values in all columns are a group. Appends a message for each group that has
  // these values only, and a time in the group's window; and how many messages it is. False: the block cannot tell
  // without its rows (a column of which a message has several, or of values that hardly repeat); then nothing is added.
  // `of_row`, unless nullptr, gets for each message which of the groups it is in; what it says of others means nothing.
  Result<bool> groups(std::span<const GroupColumn> columns, const Bitmap& among, Batch& out,
                      std::vector<std::uint64_t>& times, std::vector<std::uint32_t>* of_row = nullptr);
  // Takes those out of `among` that are not in [first_ns, end_ns).
  Status keep_between(std::int64_t first_ns, std::int64_t end_ns, Bitmap& among);
  // By row: how many bytes its text has, of those of `among`.
  Result<std::vector<std::uint32_t>> text_lengths(const Bitmap& among);
  // Can a message of it have come twice, as its sender gave it an id?
  [[nodiscard]] bool has_ids() const;
  // Distinct terms that begin with `prefix`, sorted; from the dictionary alone. Of text columns and object.
  Result<std::vector<std::string>> terms(Column column, std::string_view prefix = {});
  // Names of free fields, sorted.
  Result<std::vector<std::string>> field_names();
  // Of those that some message has as FieldForm::text.
  Result<std::vector<std::string>> text_field_names();

 private:
  struct State;
  explicit Block(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace varve::message::block
