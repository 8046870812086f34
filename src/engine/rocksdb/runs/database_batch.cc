// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/database_batch.h"

#include "engine/rocksdb/runs/database_state.h"
#include "engine/rocksdb/runs/keys.h"

namespace varve::engine::rocksdb {

Status Database::Batch::belong_to(std::uint64_t epoch) {
  if (epoch_ != 0 && epoch_ != epoch) return fail(Code::unavailable, "the database had to be opened again meanwhile");
  epoch_ = epoch;
  return {};
}

void Database::Batch::put(std::string_view key, std::string_view value) {
  const auto put = outcome(rocksdb::put(batch_, slice(key), slice(value)), "collecting what is to be written");
  if (collected_) collected_ = put;
  if (is_of_record(key)) this->put(copy_key(key), value);
}

void Database::Batch::erase(std::string_view key) {
  const auto erased = outcome(rocksdb::erase(batch_, slice(key)), "collecting what is to be erased");
  if (collected_) collected_ = erased;
  if (is_of_record(key)) erase(copy_key(key));
}

Status Database::Batch::write(Names names) {
  VARVE_RETURN_IF_ERROR(collected_);
  if (!names.before.empty()) VARVE_RETURN_IF_ERROR(of_.step(names.before));
  VARVE_RETURN_IF_ERROR(of_.mend());
  VARVE_RETURN_IF_ERROR(of_.write(batch_, epoch_));
  batch_.Clear();
  return names.after.empty() ? Status{} : of_.step(names.after);
}

Status Database::Batch::flush() { return epoch_ == 0 ? Status{} : of_.flush(epoch_); }

Status Database::Batch::commit_and_flush(Names names) {
  VARVE_RETURN_IF_ERROR(write(names));
  return flush();
}

}  // namespace varve::engine::rocksdb
