// SPDX-License-Identifier: Apache-2.0
// Block::State: the directory of groups and columns of an opened block, and its sections, which are decompressed on
// first use.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "base/check.h"
#include "chunk/block.h"
#include "chunk/part.h"
#include "chunk/times.h"

namespace varve::chunk {

// Bytes that may be stored compressed, and are decompressed on first use. Thread-safe after set().
class Lazy {
 public:
  // `stored` must outlive this object and be followed by 8 readable bytes.
  void set(std::span<const std::byte> stored, std::size_t size, bool coded) {
    stored_ = stored;
    size_ = size;
    coded_ = coded;
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  // Beside the stored ones: none before the first use.
  [[nodiscard]] std::size_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  // The decompressed bytes, followed by 8 readable ones; empty although size() > 0 if they cannot be decompressed.
  [[nodiscard]] std::span<const std::byte> bytes() const;

 private:
  std::span<const std::byte> stored_;
  std::size_t size_ = 0;
  bool coded_ = false;
  mutable std::once_flag once_;
  mutable std::unique_ptr<std::byte[]> data_;
  mutable std::atomic<std::size_t> memory_bytes_ = 0;
};

// The type of a part's values. Not for mixed and marked parts.
constexpr model::ValueType type_of(Form form) {
  if (form == Form::longs) return model::ValueType::long_;
  return form == Form::texts ? model::ValueType::string : model::ValueType::double_;
}

// How many bytes there are, and how many are stored of them.
struct Stored {
  std::size_t size = 0;
  std::size_t coded = 0;  // 0: as they are
  [[nodiscard]] std::size_t bytes() const { return coded == 0 ? size : coded; }
};

struct Group {
  model::GroupId id{};
  Times times;
  std::size_t first_column = 0;
  std::size_t columns = 0;
};

struct Block::State {
  std::unique_ptr<std::byte[]> stored;  // the block, with slack
  std::size_t stored_bytes = 0;
  std::array<Lazy, kSections> sections;
  std::vector<std::unique_ptr<Lazy>> frames;
  // Symbols of a class that are in one frame.
  struct Segment {
    std::size_t first = 0;  // of the class' symbols
    std::size_t size = 0;
    std::size_t frame = 0;
    std::size_t at = 0;  // in the frame
  };
  std::array<std::vector<Segment>, kClasses> classes;  // ascending
  std::vector<Group> groups;
  std::vector<std::size_t> columns;  // position of each column's first part
  std::vector<Part> parts;

  // Reads sections and frames from the head of the block.
  Status read_head(std::uint64_t& group_count);
  // Reads where symbols are. `sizes`: of each frame. False: impossible.
  bool read_frames(Cursor& head, bool splits, std::vector<Stored>& sizes);
  // Reads groups, columns and parts.
  Status read_directory(std::uint64_t group_count);

  [[nodiscard]] const Part& part(std::size_t group, std::size_t column) const {
    check(group < groups.size() && column < groups[group].columns, "a column of a group of the block");
    return parts[columns[groups[group].first_column + column]];
  }
  // False: a section could not be decompressed.
  bool bytes_of(const Sequence& sequence, std::size_t count, SequenceBytes& out) const;
  // These rows of the column that begins with this part.
  bool decode(const Part* part, Rows rows, DecodedColumn& out) const;
  // Of these rows of a part: the values of its sequence; longs and doubles as in model::Value; texts.
  bool decode_ints(const Part& part, Rows rows, std::uint64_t* out) const;
  bool decode_values(const Part& part, Rows rows, std::uint64_t* out) const;
  // Puts the patches of these rows into `out`.
  bool patch(const Part& part, Rows rows, std::uint64_t* out) const;
  bool decode_texts(const Part& part, Rows rows, std::vector<std::string_view>& out) const;
  bool decode_mixed(const Part* part, Rows rows, DecodedColumn& out) const;
  bool decode_marked(const Part* part, Rows rows, DecodedColumn& out) const;
  // Which rows of a marked part have a marker, ascending.
  bool list_markers(const Part& part, std::vector<std::size_t>& out) const;
};

}  // namespace varve::chunk
