// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/sealed_messages.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/rocksdb/runs/message_names.h"
#include "engine/rocksdb/runs/message_run.h"
#include "message/block/encode.h"
#include "message/block/format.h"

namespace varve::engine::rocksdb {
namespace {

// A block is decoded part by part, but its rows are together in memory when it is made.
constexpr std::size_t kSealedBytesMax = std::size_t{32} << 20;

class RunSections final : public message::block::Sections {
 public:
  RunSections(const Run& run, std::uint32_t first, std::uint32_t count, const Database& database,
              std::shared_ptr<const Database::Snapshot> snapshot, MessageCache* cache)
      : prefix_(run.block_prefix()),
        first_(first),
        count_(count),
        database_(database),
        snapshot_(std::move(snapshot)),
        cache_(cache) {}

  [[nodiscard]] Result<std::shared_ptr<const std::string>> read(std::uint32_t section) const override {
    if (section >= count_) return fail(Code::corrupt, "a block of messages has fewer sections than it says");
    return database_.get(block_key(prefix_, model::GroupId{first_ + section}), snapshot_.get());
  }
  [[nodiscard]] Result<Section> read_checked(std::uint32_t section) const override {
    if (cache_ == nullptr) return Sections::read_checked(section);
    const std::string key = block_key(prefix_, model::GroupId{first_ + section});
    if (auto kept = cache_->sections.find(key)) return kept;
    VARVE_ASSIGN_OR_RETURN(auto bytes, Sections::read_checked(section));
    cache_->sections.put(key, bytes, bytes->capacity());
    return bytes;
  }

  [[nodiscard]] bool keeps_decoded() const override { return cache_ != nullptr; }
  [[nodiscard]] std::shared_ptr<const void> decoded(std::uint32_t what) const override {
    return cache_ == nullptr ? nullptr : cache_->decoded.find(decoded_key(what));
  }
  void keep_decoded(std::uint32_t what, std::shared_ptr<const void> value, std::size_t bytes) const override {
    if (cache_ != nullptr) cache_->decoded.put(decoded_key(what), std::move(value), bytes);
  }

 private:
  [[nodiscard]] std::string decoded_key(std::uint32_t what) const {
    std::string key = block_key(prefix_, model::GroupId{first_});
    key.append(reinterpret_cast<const char*>(&what), sizeof(what));
    return key;
  }

  const std::string prefix_;
  const std::uint32_t first_, count_;
  const Database& database_;
  const std::shared_ptr<const Database::Snapshot> snapshot_;
  MessageCache* const cache_;
};

}  // namespace

SealedMessagesWriter::SealedMessagesWriter(const RunKey& key, std::uint64_t content, Database::Draft& draft)
    : draft_(draft) {
  run_.key = key;
  run_.content = content;
}

Status SealedMessagesWriter::add(message::RowView row) {
  const bool full = rows_.size() == message::block::kRowsMax || bytes_ + row.bytes() > kSealedBytesMax;
  if (full && !rows_.empty()) VARVE_RETURN_IF_ERROR(close_block());
  const std::string_view copy = kept_.copy({reinterpret_cast<const char*>(row.at), row.bytes()});
  rows_.push_back({std::as_bytes(std::span(copy)).data()});
  bytes_ += row.bytes();
  return {};
}

Status SealedMessagesWriter::close_block() {
  VARVE_ASSIGN_OR_RETURN(const auto block, message::block::encode_block(rows_));
  check(block.messages == rows_.size(), "a block has all rows that were given to it");
  for (const std::string& section : block.sections) {
    VARVE_RETURN_IF_ERROR(draft_.put_block(run_.key, model::GroupId{section_}, std::as_bytes(std::span(section))));
    run_.first_groups.push_back(section_++);
    run_.bytes += section.size();
  }
  names_.fields.insert(block.field_names.begin(), block.field_names.end());
  names_.object_types.insert(block.object_types.begin(), block.object_types.end());
  const auto sections = static_cast<std::uint32_t>(block.sections.size());
  run_.sealed.push_back({sections, block.messages, block.first_us, block.last_us});
  run_.samples += block.messages;
  rows_.clear();
  kept_ = {};
  bytes_ = 0;
  return {};
}

Result<std::shared_ptr<const Run>> SealedMessagesWriter::finish() {
  if (!rows_.empty()) VARVE_RETURN_IF_ERROR(close_block());
  if (run_.sealed.empty()) return std::shared_ptr<const Run>();
  run_.first_time = ms_of(run_.sealed.front().first_us);
  run_.last_time = ms_of(run_.sealed.back().last_us);
  VARVE_RETURN_IF_ERROR(put_names(run_, names_, draft_));
  return std::make_shared<const Run>(std::move(run_));
}

std::vector<SealedBlock> sealed_blocks(const Run& run, const Database& database,
                                       const std::shared_ptr<const Database::Snapshot>& snapshot, MessageCache* cache) {
  std::vector<SealedBlock> blocks;
  std::uint32_t section = 0;
  for (const SealedMessages& about : run.sealed) {
    blocks.push_back({about, std::make_shared<RunSections>(run, section, about.sections, database, snapshot, cache)});
    section += about.sections;
  }
  return blocks;
}

}  // namespace varve::engine::rocksdb
