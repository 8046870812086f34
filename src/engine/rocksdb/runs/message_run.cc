// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/message_run.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "engine/rocksdb/runs/message_frame.h"
#include "engine/rocksdb/runs/message_names.h"
#include "message/block/interner.h"
#include "message/sorted_rows.h"

namespace varve::engine::rocksdb {
namespace {

using message::RowView;

// How many rows ahead they are fetched, and how much of each: most are not larger.
constexpr std::size_t kRowsAhead = 8, kFetchedBytes = 320;

void fetch(const std::byte* at, std::size_t bytes) {
  constexpr std::size_t kCacheLine = 64;
  for (std::size_t line = 0; line < bytes; line += kCacheLine) __builtin_prefetch(at + line);
}

// The names of free fields and the types of objects. Messages beside one another mostly have the same.
class NamesOfRows {
 public:
  // The rows must stay where they are.
  void add(RowView row) {
    message::CellReader cells = row.reader();
    std::size_t field = 0;
    for (message::Cell cell; cells.next(cell);) {
      if (cell.column == message::Column::field) add_field(cell.name, field++);
      if (cell.column == message::Column::object) add_type(cell.text);
    }
  }
  [[nodiscard]] storage::MessageNames names() const {
    return {{fields_.terms().begin(), fields_.terms().end()}, {types_.terms().begin(), types_.terms().end()}};
  }

 private:
  void add_field(std::string_view name, std::size_t place) {
    if (place == before_.size()) before_.emplace_back();
    if (before_[place] == name && !name.empty()) return;
    before_[place] = name;
    fields_.add(name);
  }
  void add_type(std::string_view object) {
    const std::size_t n = type_.size();
    if (n != 0 && object.starts_with(type_) && (object.size() == n || object[n] == ':')) return;
    type_ = object.substr(0, object.find(':'));
    types_.add(type_);
  }

  message::block::Interner fields_, types_;
  std::vector<std::string_view> before_;  // by the place in a row
  std::string_view type_;
};

// How many rows from the front make a frame.
std::size_t frame_size(std::span<const RowView> rows) {
  std::size_t bytes = 0, count = 0;
  while (count < rows.size() && bytes < kFrameBytes) bytes += rows[count++].bytes();
  return count;
}

}  // namespace

model::Timestamp ms_of(std::int64_t us) { return us / 1000 - (us % 1000 < 0 ? 1 : 0); }

Status put_names(Run& run, const storage::MessageNames& names, Database::Draft& draft) {
  const std::string section = encode_names(names);
  VARVE_RETURN_IF_ERROR(draft.put_block(run.key, model::GroupId{kNamesSection}, std::as_bytes(std::span(section))));
  run.first_groups.push_back(kNamesSection);
  run.bytes += section.size();
  return {};
}

Result<std::shared_ptr<const Run>> write_message_run(const RunKey& key,
                                                     std::span<const std::span<const std::byte>> rows,
                                                     Database::Draft& draft) {
  const std::vector<RowView> sorted = message::sorted_rows(rows);
  check(!sorted.empty(), "a slot of messages holds some");
  Run run;
  run.key = key;
  run.content = key.run;
  run.samples = sorted.size();
  run.first_time = ms_of(sorted.front().time_us());
  run.last_time = ms_of(sorted.back().time_us());
  NamesOfRows names;
  std::string raw;
  for (std::span<const RowView> rest(sorted); !rest.empty();) {
    const std::size_t count = frame_size(rest);
    for (std::size_t i = 0; i < count; ++i) {  // compressing, the processor then has them at hand
      if (i + kRowsAhead < rest.size()) fetch(rest[i + kRowsAhead].at, kFetchedBytes);
      names.add(rest[i]);
    }
    VARVE_ASSIGN_OR_RETURN(const std::string frame, encode_frame(rest.first(count), raw));
    const auto number = static_cast<std::uint32_t>(run.first_groups.size());
    VARVE_RETURN_IF_ERROR(draft.put_block(key, model::GroupId{number}, std::as_bytes(std::span(frame))));
    run.first_groups.push_back(number);
    run.bytes += frame.size();
    rest = rest.subspan(count);
  }
  VARVE_RETURN_IF_ERROR(put_names(run, names.names(), draft));
  return std::make_shared<const Run>(std::move(run));
}

Result<storage::MessageRows> read_message_run(const Run& run, const Database& database,
                                              const Database::Snapshot* snapshot, std::int64_t first_us,
                                              std::int64_t last_us) {
  auto frames = std::make_shared<std::vector<std::string>>();
  for (const std::uint32_t number : run.first_groups) {
    if (number == kNamesSection) break;
    VARVE_ASSIGN_OR_RETURN(const auto frame, database.get(run.block_key(number), snapshot));
    VARVE_ASSIGN_OR_RETURN(const FrameTimes times, times_of(*frame));
    if (times.last_us < first_us) continue;
    if (times.first_us > last_us) break;
    VARVE_RETURN_IF_ERROR(decode_frame(*frame, frames->emplace_back()));
  }
  storage::MessageRows out;
  for (const std::string& frame : *frames) out.pieces.push_back(std::as_bytes(std::span(frame)));
  out.held = std::move(frames);
  return out;
}

Status read_message_names(const Run& run, const Database& database, const Database::Snapshot* snapshot,
                          storage::MessageNames& out) {
  VARVE_ASSIGN_OR_RETURN(const auto section, database.get(run.block_key(kNamesSection), snapshot));
  return decode_names(*section, out);
}

}  // namespace varve::engine::rocksdb
