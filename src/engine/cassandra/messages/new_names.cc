// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/new_names.h"

#include <utility>

#include "engine/cassandra/series/identity.h"
#include "engine/cassandra/tables/cell.h"
#include "engine/cassandra/tables/spans.h"

namespace varve::engine::cassandra {
namespace {

struct BatchNames {
  std::unordered_set<std::string_view> fields, object_types;
};

BatchNames names_of(const message::Batch& batch) {
  BatchNames names;
  const std::byte* const end = batch.bytes().data() + batch.bytes().size();
  for (const std::byte* at = batch.bytes().data(); at != end;) {
    const message::RowView row{at};
    at += row.bytes();
    message::CellReader cells = row.reader();
    for (message::Cell cell; cells.next(cell);) {
      if (cell.column == message::Column::field) names.fields.insert(cell.name);
      if (cell.column == message::Column::object) names.object_types.insert(cell.text.substr(0, cell.text.find(':')));
    }
  }
  return names;
}

}  // namespace

std::string message_name(MessageName kind, std::string_view text) {
  return std::string(1, static_cast<char>(kind)).append(text);
}

// Gathers rows that are new, under the lock of their owner.
class NewNames::Collector {
 public:
  Collector(const Written& written, const Tables& tables, std::string_view tenant, std::int64_t timestamp_us)
      : written_(written), tables_(tables), tenant_(tenant), timestamp_us_(timestamp_us) {}

  void add(char kind, std::string_view name, const Table& table, Cells partition, Cells clustering) {
    const std::string text = std::string(1, kind).append(tenant_).append(1, '\0').append(name);
    const codec::Hash128 key = codec::hash128(text);
    if (written_.contains(key)) return;
    wanted.keys.push_back(key);
    wanted.rows.push_back({&table, std::move(partition), std::move(clustering), {}, timestamp_us_, 0});
  }
  void add_name(MessageName kind, std::string_view text) {
    std::string name = message_name(kind, text);
    const std::string shard = smallint_cell(shard_of(name));
    add('n', name, tables_.message_names, {tenant_, shard}, {name});
  }

  Wanted wanted;

 private:
  const Written& written_;
  const Tables& tables_;
  const std::string tenant_;
  const std::int64_t timestamp_us_;
};

NewNames::Wanted NewNames::wanted(std::string_view tenant, const message::Batch& batch, const Owners& owners,
                                  const MessageTables& messages, std::int64_t now_ms, std::int64_t timestamp_us) {
  const BatchNames names = names_of(batch);
  const MutexLock lock(mutex_);
  Collector collector(written_, tables_, tenant, timestamp_us);
  const model::Timestamp index_bucket = index_bucket_of(now_ms);
  if (index_bucket != index_bucket_ || written_.size() > kRememberedMax) written_.clear();
  index_bucket_ = index_bucket;
  const std::string name(tenant);
  collector.add('t', {}, tables_.tenants, {smallint_cell(shard_of(tenant))}, {name});
  for (const auto& [owner, slots] : owners) {
    if (const RowWrite row = messages.owner_write(owner, timestamp_us); owner != name) {
      collector.add('c', owner, *row.table, row.partition, row.clustering);
    }
    for (const model::Timestamp slot : slots) {
      const std::string era = timestamp_cell(model::window_start(slot, bucket_ms(messages.slot_ms())));
      collector.add('e', owner + era, tables_.message_time_windows, {owner}, {era});
    }
  }
  for (const std::string_view field : names.fields) collector.add_name(MessageName::field, field);
  for (const std::string_view type : names.object_types) collector.add_name(MessageName::object_type, type);
  return std::move(collector.wanted);
}

void NewNames::stand(const Wanted& wanted) {
  const MutexLock lock(mutex_);
  written_.insert(wanted.keys.begin(), wanted.keys.end());
}

}  // namespace varve::engine::cassandra
