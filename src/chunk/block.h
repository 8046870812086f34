// SPDX-License-Identifier: Apache-2.0
// Block: the chunks of several line groups of one tenant and one time slot, compressed together.
//
// A chunk is what one series has in one slot: its times (one column for all series of its group) and its values.
// Columns of like distribution share an entropy-coded stream, so that a chunk of a few hundred bytes does not pay for
// a table of its own. Layout byte by byte: docs/formats/block.md. Lossless for every double bit pattern, long and text;
// complex numbers and histograms are texts of another type.
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

// In the place of a type: the cell has no value. It was erased, while others in its row were not. On disk: 0.
inline constexpr model::ValueType kErased{0};

// Values of one series to be encoded; as many as the group has times.
struct Column {
  enum class Form {
    longs,     // ints
    decimals,  // ints / 10^decimals, |int| < 2^53, decimals ≤ 15; never −0
    typed      // types, with bits (long, double) or texts (the others) at the same position; or kErased
  };
  Form form = Form::longs;
  unsigned decimals = 0;
  std::span<const std::int64_t> ints;
  std::span<const model::ValueType> types;
  std::span<const std::uint64_t> bits;
  std::span<const std::string_view> texts;  // may be empty if no value is in them
};

// Rows of one group in one block: bounds what damaged bytes can make a reader allocate.
inline constexpr std::size_t kRowsMax = std::size_t{1} << 24;

struct Fragment {
  model::GroupId group{};
  std::span<const model::Timestamp> times;  // ascending, unique, not empty, at most kRowsMax
  std::span<const Column> columns;          // one per series of the group, not empty
};

// Not thread-safe; reusable (finish() leaves it empty with its memory kept).
class BlockBuilder {
 public:
  BlockBuilder();
  ~BlockBuilder();
  // Groups must come in ascending order of id, each once.
  void add(const Fragment& fragment);
  [[nodiscard]] bool empty() const;
  // Bytes before entropy coding so far: close the block at about kBlockBytesTarget.
  [[nodiscard]] std::size_t raw_bytes() const;
  // The finished block; valid until the next call.
  [[nodiscard]] std::span<const std::byte> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

inline constexpr std::size_t kBlockBytesTarget = std::size_t{32} * 1024;

struct Stats {
  // min, max and sum are meaningful: all values are longs, or all are finite doubles. It may be false although they are
  // (decimals with an exception among them): then decode.
  bool numeric = false;
  model::ValueType type = model::ValueType::double_;  // the type of all values, where uniform
  bool uniform = true;
  double min = 0;
  double max = 0;
  double sum = 0;
};

// A decoded column. Views point into the buffer given to the reader's calls.
struct DecodedColumn {
  bool uniform = true;  // all of `type`; else `types` says
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
  // The same for groups that share their times: a reader of many need decode them but once.
  [[nodiscard]] std::size_t times_number(std::size_t i) const;
  // Position of the group, or groups() if it is not here. Binary search.
  [[nodiscard]] std::size_t find(model::GroupId group) const;

  [[nodiscard]] Stats stats(std::size_t i, std::size_t column) const;
  Status times(std::size_t i, std::vector<model::Timestamp>& out) const;
  Status column(std::size_t i, std::size_t column, DecodedColumn& out) const;

  [[nodiscard]] std::size_t memory_bytes() const;  // for a cache

 private:
  struct State;
  explicit Block(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace varve::chunk
