// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_reads.h"

#include <rocksdb/options.h>

#include <memory>

#include "base/log.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {

Status outcome(const ::rocksdb::Status& status, std::string_view doing) {
  if (status.ok()) return {};
  Code code = Code::io;
  if (status.IsCorruption()) code = Code::corrupt;
  if (status.IsNoSpace()) code = Code::unavailable;
  return fail(code, std::string(doing) + ": " + status.ToString());
}

Result<bool> read_value(::rocksdb::DB& db, std::string_view key, std::string& value, std::string_view doing,
                        const ::rocksdb::Snapshot* snapshot) {
  ::rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  const auto status = db.Get(options, slice(key), &value);
  if (status.IsNotFound()) return false;
  VARVE_RETURN_IF_ERROR(outcome(status, doing));
  return true;
}

Result<StoredCheckpoint> read_checkpoint(::rocksdb::DB& db) {
  std::string record;
  VARVE_ASSIGN_OR_RETURN(const bool is_there, read_value(db, kCheckpointKey, record, "reading the checkpoint"));
  if (is_there) return decode_checkpoint(record);
  StoredCheckpoint none;
  none.checkpoint.records = RecordCounts{};
  return none;
}

Result<std::optional<TextCounts>> count_texts(::rocksdb::DB& db, std::uint64_t commit) {
  TextCounts found;
  const auto add = [&](std::string_view key, std::string_view text) -> Status {
    found.add(key, text);
    return {};
  };
  if (const auto read = for_each_key(db, kTextPrefix, "reading the texts of the key-value store", add); !read) {
    if (read.error().code != Code::corrupt) return fail(read.error());
    log::error("some texts of the key-value store cannot be read, all else goes on", {{"error", read.error().message}});
    return std::nullopt;
  }
  std::string record;
  VARVE_ASSIGN_OR_RETURN(const bool are_counted, read_value(db, kTextCountsKey, record, "reading the number of texts"));
  if (are_counted) VARVE_RETURN_IF_ERROR(check_text_counts(record, commit, found));
  return found;
}

Status for_each_key(::rocksdb::DB& db, std::string_view prefix, std::string_view doing, const EachKey& each) {
  ::rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<::rocksdb::Iterator> at(db.NewIterator(options));
  for (at->Seek(slice(prefix)); at->Valid() && at->key().starts_with(slice(prefix)); at->Next()) {
    VARVE_RETURN_IF_ERROR(each(at->key().ToStringView(), at->value().ToStringView()));
  }
  return outcome(at->status(), doing);
}

}  // namespace varve::engine::rocksdb
