// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_salvage.h"

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "engine/rocksdb/log/mapped_file.h"
#include "engine/rocksdb/runs/database_writer.h"
#include "engine/rocksdb/runs/keys.h"
#include "engine/rocksdb/runs/raw_table.h"
#include "engine/rocksdb/runs/run.h"

namespace varve::engine::rocksdb {
namespace {

namespace fs = std::filesystem;

// Those that the list of tables names, or all that there are if it cannot be read: what else lies there, a compaction
// has done away with, or has begun.
Result<std::vector<std::string>> tables_of(const std::string& path) {
  ::rocksdb::Options options = database_options(nullptr);
  options.paranoid_checks = false;  // a table that cannot be opened is no hindrance
  ::rocksdb::DB* opened = nullptr;
  const bool listed = ::rocksdb::DB::OpenForReadOnly(options, path, &opened).ok();
  const std::unique_ptr<::rocksdb::DB> db(opened);
  std::vector<::rocksdb::LiveFileMetaData> live;
  if (listed) db->GetLiveFilesMetaData(&live);
  std::vector<std::string> tables;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(path, error)) {
    const std::string name = file.path().filename().string();
    const auto is_it = [&](const auto& one) { return one.name.ends_with("/" + name); };
    if (file.path().extension() != ".sst" || (listed && std::ranges::none_of(live, is_it))) continue;
    tables.push_back(file.path().string());
  }
  if (error) return fail(Code::io, "listing " + path + ": " + error.message());
  std::ranges::sort(tables);
  return tables;
}

Status open_one(const std::string& table) {
  ::rocksdb::SstFileReader reader(database_options(nullptr));
  return outcome(reader.Open(table), "opening " + table);
}

// Writes the newest of what a record and its copy say, as both.
class Records {
 public:
  Records(RawMerge& copies, DatabaseWriter& to) : copies_(copies), to_(to) { next_copy(); }

  Status add(const RawEntry& record) {
    VARVE_RETURN_IF_ERROR(add_copies_before(record.key));
    if (!copy_ || copy_->key != copy_key(record.key)) return put(record.key, record);
    const Status status = put(record.key, copy_->sequence > record.sequence ? *copy_ : record);
    next_copy();
    return status;
  }
  Status finish() { return add_copies_before({}); }

 private:
  // Of records that are lost themselves. Empty: all.
  Status add_copies_before(std::string_view key) {
    for (; copy_ && (key.empty() || copy_->key.substr(kCopyPrefix.size()) < key); next_copy()) {
      VARVE_RETURN_IF_ERROR(put(std::string(copy_->key.substr(kCopyPrefix.size())), *copy_));
    }
    return {};
  }
  void next_copy() {
    do copy_ = copies_.next();
    while (copy_ && copy_->key < kCopyPrefix);
    if (copy_ && !copy_->key.starts_with(kCopyPrefix)) copy_.reset();
  }
  Status put(std::string_view key, const RawEntry& entry) {
    if (!entry.is_value || !is_of_record(key)) return {};
    VARVE_RETURN_IF_ERROR(to_.put(key, entry.value));
    return to_.put(copy_key(key), entry.value);
  }

  RawMerge& copies_;
  DatabaseWriter& to_;
  std::optional<RawEntry> copy_;
};

Status write_salvaged(std::span<const std::span<const std::byte>> tables, DatabaseWriter& to,
                      std::uint64_t& unreadable) {
  RawMerge copies(tables);
  RawMerge all(tables);
  Records records(copies, to);
  while (const auto entry = all.next()) {
    if (entry->key.starts_with(kCopyPrefix)) continue;
    if (is_of_record(entry->key)) {
      VARVE_RETURN_IF_ERROR(records.add(*entry));
    } else if (entry->is_value) {
      VARVE_RETURN_IF_ERROR(to.put(entry->key, entry->value));
    }
  }
  VARVE_RETURN_IF_ERROR(records.finish());
  for (std::size_t i = 0; i < tables.size(); ++i) unreadable += all.unreadable_bytes(i);
  return to.finish();
}

Result<std::uint64_t> count_lost_blocks(::rocksdb::DB& db) {
  std::uint64_t lost = 0;
  std::string value;
  const auto look = [&](std::string_view key, std::string_view record) -> Status {
    VARVE_ASSIGN_OR_RETURN(const Run run, decode_run(key, record));
    for (const std::uint32_t group : run.first_groups) {
      VARVE_ASSIGN_OR_RETURN(const bool is_there, read_value(db, run.block_key(group), value, "reading a block"));
      if (!is_there) ++lost;
    }
    return {};
  };
  VARVE_RETURN_IF_ERROR(for_each_key(db, "r", "reading the list of runs", look));
  return lost;
}

}  // namespace

Result<Salvaged> salvage_into(const std::string& path, const std::string& folder) {
  Salvaged salvaged;
  VARVE_ASSIGN_OR_RETURN(const auto tables, tables_of(path));
  std::vector<std::unique_ptr<MappedFile>> files;
  std::vector<std::span<const std::byte>> bytes;
  for (const std::string& table : tables) {
    if (const Status opened = open_one(table); !opened) salvaged.unopened.push_back(opened.error().message);
    VARVE_ASSIGN_OR_RETURN(auto file, MappedFile::open(table));
    bytes.push_back(file->bytes());
    files.push_back(std::move(file));
  }
  VARVE_ASSIGN_OR_RETURN(const auto db, make_database(folder));
  DatabaseWriter to(*db);
  VARVE_RETURN_IF_ERROR(write_salvaged(bytes, to, salvaged.unreadable_bytes));
  VARVE_ASSIGN_OR_RETURN(salvaged.lost_blocks, count_lost_blocks(*db));
  return salvaged;
}

}  // namespace varve::engine::rocksdb
