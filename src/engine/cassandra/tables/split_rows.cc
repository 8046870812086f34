// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/tables/split_rows.h"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/check.h"
#include "engine/cassandra/tables/cell.h"

namespace varve::engine::cassandra {
namespace {

constexpr std::string_view kMagic = "vvpc";  // of a block it is another one (docs/formats/block.md)
constexpr std::size_t kNoteBytes = 4 + 1 + 8 + 8 + 4;
constexpr std::uint8_t kNoteVersion = 1;
constexpr std::uint32_t kPiecesMax = 1024;                        // of one version
constexpr std::size_t kBytesAtOnce = std::size_t{32} << 20;       // of pieces on their way
constexpr std::uint64_t kChunkBytesMax = std::uint64_t{1} << 31;  // limits what a damaged note can allocate
constexpr std::size_t kSeenMax = 4096;
constexpr int kLooksMax = 5;

struct Note {
  std::int64_t version = 0;
  std::uint64_t bytes = 0;  // of the chunk
  std::uint32_t pieces = 0;
};

template <class Number>
void append_le(std::string& to, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    to += static_cast<char>(static_cast<std::uint64_t>(number) >> (8 * i));
  }
}

std::string encode(const Note& note) {
  std::string cell(kMagic);
  cell += static_cast<char>(kNoteVersion);
  append_le(cell, note.version);
  append_le(cell, note.bytes);
  append_le(cell, note.pieces);
  return cell;
}

bool is_note(std::string_view chunk) { return chunk.starts_with(kMagic); }

Result<Note> decode(std::string_view cell) {
  if (cell.size() > kMagic.size() && static_cast<std::uint8_t>(cell[kMagic.size()]) != kNoteVersion) {
    return fail(Code::unsupported, "a note of pieces of a version that this build does not read");
  }
  if (cell.size() != kNoteBytes) return fail(Code::corrupt, "a note of pieces is cut short");
  const auto* const at = reinterpret_cast<const std::byte*>(cell.data()) + kMagic.size() + 1;
  const Note note{load_le<std::int64_t>(at), load_le<std::uint64_t>(at + 8), load_le<std::uint32_t>(at + 16)};
  if (note.pieces > kPiecesMax || note.bytes > kChunkBytesMax) return fail(Code::corrupt, "a note of too many pieces");
  return note;
}

// Numbers of versions are times in µs, so there is room behind them.
std::string piece_key(std::int64_t version, std::uint32_t number) {
  return timestamp_cell(version * kPiecesMax + number);
}

// Which of the values is the chunk; nullopt: the table has none.
std::optional<std::size_t> chunk_among(std::span<const std::string> names) {
  const auto found = std::ranges::find(names, "chunk");
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}
bool has_chunks(const Table& table) {
  return !table.values.empty() && table.values[0].name == "chunk" && table.partition.size() == 4;
}

// That of the pieces of a row: the column shard as a negative number, and the row's key in place of the bucket's.
Result<Cells> partition_of_pieces(const Cells& partition, const std::string& key) {
  VARVE_ASSIGN_OR_RETURN(const std::int16_t shard, smallint_of(partition[2]));
  return Cells{partition[0], partition[1], smallint_cell(static_cast<std::int16_t>(-1 - shard)), key};
}

}  // namespace

struct SplitRows::Writing {
  std::vector<RowWrite> pieces, rows;
  std::vector<RowDelete> replaced;
  std::size_t next = 0;  // of pieces
  Done done;
};

void SplitRows::split(RowWrite& row, std::vector<RowWrite>& pieces) const {
  std::string& chunk = row.values[0];
  const Note note{row.timestamp_us, chunk.size(),
                  static_cast<std::uint32_t>((chunk.size() + piece_bytes_ - 1) / piece_bytes_)};
  const auto partition = partition_of_pieces(row.partition, row.clustering[0]);
  check(partition.has_value(), "a row that is written has a column shard");
  for (std::uint32_t number = 0; number < note.pieces; ++number) {
    Cells values(row.values.size());
    values[0] = chunk.substr(std::size_t{number} * piece_bytes_, piece_bytes_);
    pieces.push_back(
        {row.table, *partition, {piece_key(note.version, number)}, std::move(values), row.timestamp_us, row.ttl_s});
  }
  chunk = encode(note);
}

void SplitRows::write(std::vector<RowWrite> rows, Done done) {
  auto writing = std::make_shared<Writing>();
  for (RowWrite& row : rows) {
    if (!has_chunks(*row.table) || row.values.empty() || row.clustering.size() != 1) continue;
    const bool is_large = row.values[0].size() > piece_bytes_;
    if (is_large && row.values[0].size() / piece_bytes_ < kPiecesMax) split(row, writing->pieces);
    const MutexLock lock(mutex_);
    if (seen_.empty()) continue;
    const auto partition = partition_of_pieces(row.partition, row.clustering[0]);
    if (!partition || !seen_.contains({row.table, *partition})) continue;
    writing->replaced.push_back({row.table, *partition, {}, row.timestamp_us - 1});
  }
  if (writing->pieces.empty() && writing->replaced.empty()) return below_.write(std::move(rows), std::move(done));
  writing->rows = std::move(rows);
  writing->done = std::move(done);
  write_pieces(writing);
}

// Some at a time, then the rows.
void SplitRows::write_pieces(const std::shared_ptr<Writing>& writing) {
  std::vector<RowWrite> some;
  for (std::size_t bytes = 0; writing->next < writing->pieces.size(); ++writing->next) {
    RowWrite& piece = writing->pieces[writing->next];
    bytes += piece.values[0].size();
    if (!some.empty() && bytes > kBytesAtOnce) break;
    some.push_back(std::move(piece));
  }
  if (some.empty()) return write_rows(writing);
  below_.write(std::move(some), [this, writing](Status status) {
    if (!status) return writing->done(std::move(status));
    write_pieces(writing);
  });
}

// Then what they have replaced goes.
void SplitRows::write_rows(const std::shared_ptr<Writing>& writing) {
  below_.write(std::exchange(writing->rows, {}), [this, writing](Status status) {
    if (!status || writing->replaced.empty()) return writing->done(std::move(status));
    below_.erase(writing->replaced, [this, writing](Status gone) {
      if (gone) forget(writing->replaced);
      writing->done(std::move(gone));
    });
  });
}

void SplitRows::forget(std::span<const RowDelete> pieces) {
  const MutexLock lock(mutex_);
  for (const RowDelete& one : pieces) seen_.erase({one.table, one.partition});
}

Status SplitRows::read(std::span<const RowRead> reads, const ReadLimits& limits, const Each& each) {
  std::vector<std::optional<std::size_t>> chunk_at;
  for (const RowRead& read : reads) {
    chunk_at.push_back(has_chunks(*read.table) ? chunk_among(read.values) : std::nullopt);
    if (chunk_at.back()) *chunk_at.back() += read.table->clustering.size();
  }
  std::vector<Noted> noted;
  VARVE_RETURN_IF_ERROR(below_.read(reads, limits, [&](std::size_t number, const RowView& row) -> Status {
    const auto& at = chunk_at[number];
    if (!at || *at >= row.cells.size() || !is_note(row.cells[*at])) return each(number, row);
    noted.push_back({number, {row.cells.begin(), row.cells.end()}, *at});
    return {};
  }));
  for (Noted& one : noted) VARVE_RETURN_IF_ERROR(give(reads[one.read], one, limits, each));
  return {};
}

Status SplitRows::give(const RowRead& read, Noted& noted, const ReadLimits& limits, const Each& each) {
  for (int look = 0; look < kLooksMax; ++look) {
    VARVE_ASSIGN_OR_RETURN(const bool is_whole, join(read, noted, limits));
    if (is_whole) {
      const std::vector<std::string_view> views(noted.cells.begin(), noted.cells.end());
      return each(noted.read, {views});
    }
    VARVE_ASSIGN_OR_RETURN(const bool is_there, read_again(read, noted, limits));
    if (!is_there) return {};
  }
  return fail(Code::unavailable, "a row of " + read.table->name + " lacks pieces, or is replaced again and again");
}

// False: pieces are missing.
Result<bool> SplitRows::join(const RowRead& read, Noted& noted, const ReadLimits& limits) {
  if (!is_note(noted.cells[noted.chunk])) return true;  // meanwhile
  VARVE_ASSIGN_OR_RETURN(const Note note, decode(noted.cells[noted.chunk]));
  VARVE_ASSIGN_OR_RETURN(const Cells partition, partition_of_pieces(read.partition, noted.cells[0]));
  {
    const MutexLock lock(mutex_);
    if (seen_.size() >= kSeenMax) seen_.clear();
    seen_.insert({read.table, partition});
  }
  std::vector<RowRead> reads;  // a piece each: a page would have several
  for (std::uint32_t number = 0; number < note.pieces; ++number) {
    reads.push_back({read.table, partition, {}, {}, {"chunk"}});
    reads.back().from = piece_key(note.version, number);
    reads.back().until = piece_key(note.version, number + 1);
  }
  std::vector<std::string> pieces(note.pieces);
  VARVE_RETURN_IF_ERROR(below_.read(reads, limits, [&](std::size_t number, const RowView& row) -> Status {
    if (row.cells.size() != 2) return fail(Code::corrupt, "a piece of a chunk has not two cells");
    pieces[number] = row.cells[1];
    return {};
  }));
  std::string chunk;
  chunk.reserve(note.bytes);
  for (const std::string& piece : pieces) chunk += piece;
  if (std::ranges::any_of(pieces, &std::string::empty) || chunk.size() != note.bytes) return false;
  noted.cells[noted.chunk] = std::move(chunk);
  return true;
}

// False: the row is gone.
Result<bool> SplitRows::read_again(const RowRead& read, Noted& noted, const ReadLimits& limits) {
  VARVE_ASSIGN_OR_RETURN(const std::int64_t key, timestamp_of(noted.cells[0]));
  RowRead one{read.table, read.partition, {}, {}, read.values};
  one.from = timestamp_cell(key);
  one.until = timestamp_cell(key + 1);
  bool is_there = false;
  VARVE_RETURN_IF_ERROR(below_.read({&one, 1}, limits, [&](std::size_t, const RowView& row) -> Status {
    noted.cells.assign(row.cells.begin(), row.cells.end());
    is_there = true;
    return {};
  }));
  return is_there;
}

}  // namespace varve::engine::cassandra
