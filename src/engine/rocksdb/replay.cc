// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/replay.h"

#include <utility>

#include "base/log.h"
#include "engine/rocksdb/log/log_aside.h"

namespace varve::engine::rocksdb {
namespace {

const char* what_is_wrong(const index::SeriesIndex& index, model::RowView row) {
  if (model::to_int(row.group()) >= index.group_count()) return "a row is of a line group that was not defined";
  if (row.count() != index.group_series(row.group()).size()) return "a row does not fit its line group";
  if (row.time() < model::kTimestampMin || row.time() > model::kTimestampMax) return "a row has a time that is none";
  return nullptr;
}

}  // namespace

bool row_fits(const index::SeriesIndex& index, model::RowView row) { return what_is_wrong(index, row) == nullptr; }

bool messages_fit(const index::SeriesIndex& index, const MessageRecord& messages) {
  return model::to_int(messages.tenant) < index.tenant_count() && index.tenant_name(messages.tenant) == messages.name &&
         whole_messages(messages.rows);
}

bool Replay::define(std::span<const std::byte> records) {
  if (records.empty()) return true;
  const Status status = index_.replay(records);
  if (!status) {
    if (rejected_.reason.empty()) rejected_.reason = status.error().message;
    is_partial_ = true;
    return false;
  }
  definitions_.append(reinterpret_cast<const char*>(records.data()), records.size());
  return true;
}

std::string Replay::take_definitions() {
  if (std::exchange(is_partial_, false)) {
    definitions_.clear();
    index_.dump(definitions_);
  }
  return std::exchange(definitions_, {});
}

void Replay::apply(const LogRecord& record) {
  std::string reason;
  std::size_t bytes = define(record.definitions) ? 0 : record.definitions.size();
  if (holds_messages(record.rows)) {
    if (messages_fit(index_, decode_messages(record.rows))) {
      head_.append(record.rows, record.sequence);
    } else {
      reason = "messages are malformed, or of a tenant that was not defined";
      bytes += record.rows.size();
    }
  } else {
    bytes += append_rows(record, reason);
  }
  if (bytes == 0) return;
  if (rejected_.reason.empty()) rejected_.reason = std::move(reason);
  ++rejected_.records;
  rejected_.bytes += bytes;
  kept_[segment_].push_back(record.bytes);
}

// Returns the bytes of rows that are left out. Behind one that is malformed no other can be found.
std::size_t Replay::append_rows(const LogRecord& record, std::string& reason) {
  const std::byte* const begin = record.rows.data();
  const std::byte* const end = begin + record.rows.size();
  std::size_t left_out = 0;
  const std::byte* good = begin;  // from here to `at` all rows fit
  for (const std::byte* at = begin;;) {
    const std::size_t bytes = at == end ? 0 : model::check_row(at, end);
    if (bytes > 0 && row_fits(index_, model::RowView{at})) {
      at += bytes;
      continue;
    }
    if (at != good) head_.append({good, at}, record.sequence);
    if (at == end) return left_out;
    reason = bytes == 0 ? "a row is malformed" : what_is_wrong(index_, model::RowView{at});
    const std::size_t skipped = bytes == 0 ? static_cast<std::size_t>(end - at) : bytes;
    left_out += skipped;
    at += skipped;
    good = at;
  }
}

void Replay::keep_rejected(const std::string& directory) const {
  if (rejected_.records == 0) return;
  std::string files;
  for (const auto& [segment, records] : kept_) {
    const std::string path = rejected_path(directory, segment);
    if (const auto status = write_aside(path, index_.group_count(), records); !status) {
      log::error("what is left out of the log cannot be kept", {{"error", status.error().message}});
      continue;
    }
    files += (files.empty() ? "" : " ") + path;
  }
  log::error(
      "something in records of the log makes no sense: it is left out, and the records are kept",
      {{"records", rejected_.records}, {"bytes", rejected_.bytes}, {"reason", rejected_.reason}, {"files", files}});
}

}  // namespace varve::engine::rocksdb
