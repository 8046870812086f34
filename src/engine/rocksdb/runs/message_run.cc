// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/message_run.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "engine/rocksdb/runs/message_frame.h"
#include "engine/rocksdb/runs/message_names.h"

namespace varve::engine::rocksdb {
namespace {

using message::RowView;

std::vector<RowView> sorted_rows(std::span<const std::span<const std::byte>> pieces) {
  std::vector<RowView> rows;
  for (const auto& piece : pieces) {
    for (const std::byte *at = piece.data(), *const end = at + piece.size(); at != end;) {
      rows.push_back({at});
      at += rows.back().bytes();
    }
  }
  std::ranges::sort(rows, {}, message::time_order);
  return rows;
}

// How many rows from the front make a frame.
std::size_t frame_size(std::span<const RowView> rows) {
  std::size_t bytes = 0, count = 0;
  while (count < rows.size() && bytes < kFrameBytes) bytes += rows[count++].bytes();
  return count;
}

}  // namespace

model::Timestamp ms_of(std::int64_t us) { return model::window_start(us, 1000) / 1000; }

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
  const std::vector<RowView> sorted = sorted_rows(rows);
  check(!sorted.empty(), "a slot of messages holds some");
  Run run;
  run.key = key;
  run.content = key.run;
  run.samples = sorted.size();
  run.first_time = ms_of(sorted.front().time_us());
  run.last_time = ms_of(sorted.back().time_us());
  for (std::span<const RowView> rest(sorted); !rest.empty();) {
    const std::size_t count = frame_size(rest);
    VARVE_ASSIGN_OR_RETURN(const std::string frame, encode_frame(rest.first(count)));
    const auto number = static_cast<std::uint32_t>(run.first_groups.size());
    VARVE_RETURN_IF_ERROR(draft.put_block(key, model::GroupId{number}, std::as_bytes(std::span(frame))));
    run.first_groups.push_back(number);
    run.bytes += frame.size();
    rest = rest.subspan(count);
  }
  storage::MessageNames names;
  for (const RowView row : sorted) add_names(row, names);
  VARVE_RETURN_IF_ERROR(put_names(run, names, draft));
  return std::make_shared<const Run>(std::move(run));
}

Result<storage::MessageRows> read_message_run(const Run& run, const Database& database,
                                              const Database::Snapshot* snapshot, std::int64_t first_us,
                                              std::int64_t last_us) {
  auto frames = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (const std::uint32_t number : run.first_groups) {
    if (number == kNamesSection) break;
    VARVE_ASSIGN_OR_RETURN(const auto frame, database.get(block_key(run.key, model::GroupId{number}), snapshot));
    VARVE_ASSIGN_OR_RETURN(const FrameTimes times, times_of(*frame));
    if (times.last_us < first_us) continue;
    if (times.first_us > last_us) break;
    VARVE_RETURN_IF_ERROR(decode_frame(*frame, frames->emplace_back()));
  }
  storage::MessageRows out;
  for (const auto& frame : *frames) out.pieces.emplace_back(frame);
  out.held = std::move(frames);
  return out;
}

Status read_message_names(const Run& run, const Database& database, const Database::Snapshot* snapshot,
                          storage::MessageNames& out) {
  VARVE_ASSIGN_OR_RETURN(const auto section, database.get(block_key(run.key, model::GroupId{kNamesSection}), snapshot));
  return decode_names(*section, out);
}

}  // namespace varve::engine::rocksdb
