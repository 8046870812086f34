// SPDX-License-Identifier: Apache-2.0
// Block: the chunks of several line groups of one tenant and one time slot, compressed together.
//
// A chunk holds the samples of one series in one slot: times (one column for all series of its group) and values.
// Columns with similar distributions share an entropy-coded stream, so that a chunk of a few hundred bytes needs no
// code table of its own. Byte layout: docs/formats/block.md. Lossless for every double bit pattern, long and text;
// complex numbers and histograms are encoded as texts of another type. Staleness markers lie beside the values.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/ids.h"
#include "model/time.h"
#include "model/value.h"

namespace varve::chunk {

// In place of a type: the cell has no value, because it was erased and other cells of its row were not. On disk: 0.
inline constexpr model::ValueType kErased{0};

// The values of one series to be encoded, one for each time of the group.
struct Column {
  enum class Form {
    longs,     // ints
    decimals,  // ints / 10^decimals, |int| < 2^53, decimals ≤ 15; never −0
    typed  // types or kErased, with bits (long, double) or texts (others) at the same position; markers have neither
  };
  Form form = Form::longs;
  unsigned decimals = 0;
  std::span<const std::int64_t> ints;
  std::span<const model::ValueType> types;
  std::span<const std::uint64_t> bits;
  std::span<const std::string_view> texts;  // may be empty if no value is a text
};

// Maximum rows of one group in one block: limits what damaged bytes can make a reader allocate.
inline constexpr std::size_t kRowsMax = std::size_t{1} << 24;

struct Fragment {
  model::GroupId group{};
  std::span<const model::Timestamp> times;  // ascending, unique, not empty, at most kRowsMax
  std::span<const Column> columns;          // one per series of the group, not empty
};

// Not thread-safe; reusable (finish() empties it and keeps its memory).
class BlockBuilder {
 public:
  BlockBuilder();
  ~BlockBuilder();
  // Groups must come in ascending order of id, each once.
  void add(const Fragment& fragment);
  [[nodiscard]] bool empty() const;
  // Bytes so far, before entropy coding. Finish the block at about kBlockBytesTarget.
  [[nodiscard]] std::size_t raw_bytes() const;
  // The finished block; valid until the next call.
  [[nodiscard]] std::span<const std::byte> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr std::size_t kBlockBytesTarget = std::size_t{32} * 1024;

// Of the values of a chunk, as if it had no markers.
struct Stats {
  // Are the others valid? Then all values are longs, or all are finite doubles, and the first and the last row have
  // one. May be false even so (decimals with exceptions): then decode the column.
  bool numeric = false;
  model::ValueType type = model::ValueType::double_;  // the type of all values, if uniform
  bool uniform = true;
  double min = 0;
  double max = 0;
  double sum = 0;
  std::uint64_t count = 0;
};

// Some rows of a chunk, one after the other.
struct Rows {
  std::size_t first = 0;
  std::size_t count = 0;
};

// Decoded rows of a column.
struct DecodedColumn {
  bool uniform = true;  // all values are of `type`; otherwise see `types`
  model::ValueType type = model::ValueType::long_;
  std::vector<std::uint64_t> bits;
  std::vector<model::ValueType> types;
  std::vector<std::string_view> texts;  // valid as long as the Block lives
};

// A block opened for reading. Constant after open(); decoding calls are thread-safe. Owns its decompressed bytes.
class Block : public std::enable_shared_from_this<Block> {
 public:
  // Checks the frame (magic, version, checksum) and reads the directory. Error: corrupt, with what is wrong.
  // Never reads outside `bytes` whatever they hold. `bytes` are not needed afterwards.
  static Result<std::shared_ptr<const Block>> open(std::span<const std::byte> bytes);
  ~Block();

  [[nodiscard]] std::size_t groups() const;
  [[nodiscard]] model::GroupId group(std::size_t i) const;
  [[nodiscard]] std::size_t columns(std::size_t i) const;  // series in group i
  [[nodiscard]] std::size_t rows(std::size_t i) const;     // times in group i
  [[nodiscard]] model::Timestamp first_time(std::size_t i) const;
  [[nodiscard]] model::Timestamp last_time(std::size_t i) const;
  // Equal for groups that share their times, so that a reader of many groups needs to decode them only once.
  [[nodiscard]] std::size_t times_number(std::size_t i) const;
  // The position of the group, or groups() if it is not in the block. Binary search.
  [[nodiscard]] std::size_t find(model::GroupId group) const;

  [[nodiscard]] Stats stats(std::size_t i, std::size_t column) const;
  // The times of the group that are in the range, and which rows these are. Errors: corrupt; if only some of the rows
  // are read, damage of the others may not be noticed.
  Result<Rows> times(std::size_t i, model::TimeRange range, std::vector<model::Timestamp>& out) const;
  // These rows of a column. What is before them costs a tenth to a quarter of what they cost a row. Errors: as times().
  Status column(std::size_t i, std::size_t column, Rows rows, DecodedColumn& out) const;
  // All of them.
  Status times(std::size_t i, std::vector<model::Timestamp>& out) const;
  Status column(std::size_t i, std::size_t column, DecodedColumn& out) const;

  // For a cache. Grows when something is decoded whose symbols were not needed before.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  struct State;
  explicit Block(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace varve::chunk
