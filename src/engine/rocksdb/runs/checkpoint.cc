// SPDX-License-Identifier: Apache-2.0
#include "engine/rocksdb/runs/checkpoint.h"

#include <array>
#include <span>

#include "base/bytes.h"

namespace varve::engine::rocksdb {
namespace {

// Each version has appended something: the number of the commit, the numbers of records.
constexpr std::size_t kOfFirst = 3;
constexpr std::size_t kWithCommit = 4;
constexpr std::size_t kWithRecords = 6;

}  // namespace

std::string encode_checkpoint(const StoredCheckpoint& stored) {
  const Checkpoint& of = stored.checkpoint;
  const RecordCounts records = of.records.value_or(RecordCounts{});
  const std::array<std::uint64_t, kWithRecords> fields = {of.next_run,   of.first_segment, of.sequence,
                                                          stored.commit, records.runs,     records.marks};
  std::string record((of.records ? kWithRecords : kWithCommit) * sizeof fields[0], '\0');
  for (std::size_t i = 0; i * sizeof fields[0] < record.size(); ++i) {
    store_be64(record.data() + i * sizeof fields[0], fields[i]);
  }
  return record;
}

Result<StoredCheckpoint> decode_checkpoint(std::string_view record) {
  std::array<std::uint64_t, kWithRecords> fields{};
  const std::size_t count = record.size() / sizeof fields[0];
  const bool known = count == kOfFirst || count == kWithCommit || count == kWithRecords;
  if (!known || record.size() % sizeof fields[0] != 0) return fail(Code::corrupt, "the checkpoint record is malformed");
  for (std::size_t i = 0; i < count; ++i) fields[i] = load_be64(record.data() + i * sizeof fields[0]);
  StoredCheckpoint stored;
  stored.checkpoint = {fields[0], fields[1], fields[2], 0, std::nullopt};
  stored.commit = fields[3];
  if (count == kWithRecords) stored.checkpoint.records = RecordCounts{fields[4], fields[5]};
  return stored;
}

Status check_counts(const std::optional<RecordCounts>& counted, const RecordCounts& found) {
  if (!counted || *counted == found) return {};
  return fail(Code::corrupt, "the database is damaged: it should have " + std::to_string(counted->runs) + " runs and " +
                                 std::to_string(counted->marks) + " marks of slots, and has " +
                                 std::to_string(found.runs) + " and " + std::to_string(found.marks));
}

}  // namespace varve::engine::rocksdb
