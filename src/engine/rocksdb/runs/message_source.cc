// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/message_source.h"

#include <optional>

#include "engine/rocksdb/runs/message_frame.h"
#include "engine/rocksdb/runs/message_names.h"
#include "engine/rocksdb/runs/sealed_messages.h"
#include "message/block/row_cursor.h"

namespace varve::engine::rocksdb {
namespace {

using message::RowView;

class FrameSource final : public message::RowSource {
 public:
  FrameSource(std::shared_ptr<const Run> run, const Database& database) : run_(std::move(run)), database_(database) {}

  Result<std::optional<RowView>> next() override {
    if (at_ == rows_.size()) {
      if (frame_ == run_->first_groups.size() || run_->first_groups[frame_] == kNamesSection) {
        return std::optional<RowView>();
      }
      const std::uint32_t number = run_->first_groups[frame_++];
      VARVE_ASSIGN_OR_RETURN(const auto frame, database_.get(run_->block_key(number), nullptr));
      at_ = 0;
      VARVE_RETURN_IF_ERROR(decode_frame(*frame, rows_));
    }
    const RowView row{std::as_bytes(std::span(rows_)).data() + at_};
    at_ += row.bytes();
    return std::optional(row);
  }

 private:
  const std::shared_ptr<const Run> run_;
  const Database& database_;
  std::size_t frame_ = 0;  // the next one
  std::string rows_;
  std::size_t at_ = 0;
};

class SealedSource final : public message::RowSource {
 public:
  SealedSource(const Run& run, const Database& database) : blocks_(sealed_blocks(run, database, nullptr, nullptr)) {}

  Result<std::optional<RowView>> next() override {
    while (true) {
      if (cursor_) {
        VARVE_ASSIGN_OR_RETURN(const auto row, cursor_->next());
        if (row) return row;
      }
      if (block_ == blocks_.size()) return std::optional<RowView>();
      VARVE_ASSIGN_OR_RETURN(auto opened, message::block::Block::open(blocks_[block_++].sections));
      const auto block = std::make_shared<message::block::Block>(std::move(opened));
      cursor_.emplace(block, message::block::Bitmap(block->messages(), true), false);
    }
  }

 private:
  const std::vector<SealedBlock> blocks_;
  std::size_t block_ = 0;  // the next one
  std::optional<message::block::RowCursor> cursor_;
};

}  // namespace

std::unique_ptr<message::RowSource> message_source(std::shared_ptr<const Run> run, const Database& database) {
  if (run->sealed.empty()) return std::make_unique<FrameSource>(std::move(run), database);
  return std::make_unique<SealedSource>(*run, database);
}

message::MergedRows merged_messages(std::span<const std::shared_ptr<const Run>> runs, const Database& database) {
  constexpr std::int64_t kUsPerMs = 1000;  // a run's times are whole milliseconds
  message::MergedRows rows(false);
  for (const auto& run : runs) {
    rows.add(run->first_time * kUsPerMs, [run, &database]() -> Result<std::unique_ptr<message::RowSource>> {
      return message_source(run, database);
    });
  }
  return rows;
}

}  // namespace varve::engine::rocksdb
