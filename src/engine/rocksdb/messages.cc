// SPDX-License-Identifier: Apache-2.0
// Store as a MessageStore: messages go the way of samples through the log, the head and the flush.
#include <limits>

#include "engine/rocksdb/head/message_record.h"
#include "engine/rocksdb/log/log_format.h"
#include "engine/rocksdb/runs/message_names.h"
#include "engine/rocksdb/runs/message_run.h"
#include "engine/rocksdb/runs/sealed_messages.h"
#include "engine/rocksdb/store.h"
#include "engine/rocksdb/store_state.h"

namespace varve::engine::rocksdb {
namespace {

using storage::MessagePart;
using storage::MessageRows;

struct Asked {
  model::TenantId tenant;
  std::int64_t first_us;
  std::int64_t last_us;

  // In whole milliseconds, as slots and runs say their times.
  [[nodiscard]] model::Timestamp first_ms() const { return ms_of(first_us); }
  [[nodiscard]] model::Timestamp last_ms() const { return ms_of(last_us); }
};

void add_of_head(const std::shared_ptr<const Head>& head, const Asked& asked, std::vector<MessagePart>& out) {
  if (head == nullptr) return;
  for (auto& fragment : head->messages.fragments(asked.tenant, asked.first_us, asked.last_us)) {
    out.push_back({fragment.first_us, fragment.last_us, fragment.messages,
                   [rows = std::move(fragment.rows), head](std::int64_t, std::int64_t) -> Result<MessageRows> {
                     return MessageRows{rows, head};
                   }});
  }
}

// The run's times are whole milliseconds: the part may begin earlier and end later.
MessagePart part_of(const std::shared_ptr<const Run>& run, const Database& database,
                    const std::shared_ptr<const Database::Snapshot>& snapshot) {
  return {run->first_time * 1000, run->last_time * 1000 + 999, run->samples,
          [run, snapshot, &database](std::int64_t first_us, std::int64_t last_us) {
            return read_message_run(*run, database, snapshot.get(), first_us, last_us);
          }};
}

void add_sealed(const Run& run, Tables& tables, const std::shared_ptr<const Database::Snapshot>& snapshot,
                const Asked& asked, std::vector<MessagePart>& out) {
  for (SealedBlock& block : sealed_blocks(run, tables.database(), snapshot, &tables.messages())) {
    const SealedMessages& about = block.about;
    if (about.first_us > asked.last_us || about.last_us < asked.first_us) continue;
    out.push_back({about.first_us, about.last_us, about.messages, nullptr, std::move(block.sections)});
  }
}

// Calls each(run) for the tenant's runs that may hold something of the time that is asked for. Those of a class are in
// order of time, so only what is looked for is visited, however long messages are kept.
template <class Each>
void for_each_run(const View& view, std::int64_t slot_width_ms, const Asked& asked, const Each& each) {
  constexpr auto kBeginning = std::numeric_limits<model::Timestamp>::min();
  const auto& slots = view.runs->messages;
  const model::Timestamp first = asked.first_ms(), last = asked.last_ms();
  auto at = slots.lower_bound(before_messages(asked.tenant));
  while (at != slots.end() && at->first.tenant == asked.tenant) {
    const std::int64_t of_class = at->first.granularity_ms;
    const SlotKey end{asked.tenant, of_class, last};
    at = slots.lower_bound({asked.tenant, of_class, model::window_start(first, slot_width_ms)});
    for (; at != slots.end() && at->first <= end; ++at) {
      for (const auto& run : at->second.runs) {
        if (run->first_time <= last && run->last_time >= first) each(run);
      }
    }
    at = slots.lower_bound({asked.tenant, of_class + 1, kBeginning});
  }
}

void add_of_runs(const View& view, Tables& tables, std::int64_t slot_width_ms, const Asked& asked,
                 std::vector<MessagePart>& out) {
  for_each_run(view, slot_width_ms, asked, [&](const std::shared_ptr<const Run>& run) {
    if (!run->sealed.empty()) return add_sealed(*run, tables, view.snapshot, asked, out);
    out.push_back(part_of(run, tables.database(), view.snapshot));
  });
}

void add_names_of_head(const std::shared_ptr<const Head>& head, model::TenantId tenant, storage::MessageNames& out) {
  if (head == nullptr) return;
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  for (const auto& fragment : head->messages.fragments(tenant, kFirst, kLast)) {
    for (const auto& rows : fragment.rows) {
      for (const std::byte* at = rows.data(); at != rows.data() + rows.size();) {
        const message::RowView row{at};
        add_names(row, out);
        at += row.bytes();
      }
    }
  }
}

}  // namespace

void Store::append_messages(std::string_view tenant, const message::Batch& batch,
                            storage::MessageStore::AppendDone done) {
  if (batch.empty()) return done({});
  if (batch.rows() > kRecordMessagesMax || batch.bytes().size() > kPayloadBytesMax / 2) {
    return done(fail(Code::too_large, std::to_string(batch.rows()) + " messages in one request are too many"));
  }
  const auto id = this->tenant(tenant);
  if (!id) return done(fail(id.error()));
  state_->ingest.append(encode_messages(*id, tenant, batch.bytes()), std::move(done));
}

Result<std::vector<MessagePart>> Store::message_parts(std::string_view tenant, std::int64_t first_us,
                                                      std::int64_t last_us) const {
  std::vector<MessagePart> out;
  VARVE_ASSIGN_OR_RETURN(const auto id, find_tenant(tenant));
  if (!id) return out;
  const Asked asked{*id, first_us, last_us};
  const View view = state_->visible.with_snapshot(state_->tables.database());
  add_of_runs(view, state_->tables, state_->env.chunk_width_ms, asked, out);
  add_of_head(view.immutable, asked, out);
  add_of_head(view.head, asked, out);
  return out;
}

Result<storage::MessageNames> Store::message_names(std::string_view tenant) const {
  storage::MessageNames names;
  VARVE_ASSIGN_OR_RETURN(const auto id, find_tenant(tenant));
  if (!id) return names;
  const View view = state_->visible.with_snapshot(state_->tables.database());
  const auto& slots = view.runs->messages;
  for (auto at = slots.lower_bound(before_messages(*id)); at != slots.end() && at->first.tenant == *id; ++at) {
    for (const auto& run : at->second.runs) {
      VARVE_RETURN_IF_ERROR(read_message_names(*run, state_->tables.database(), view.snapshot.get(), names));
    }
  }
  add_names_of_head(view.immutable, *id, names);
  add_names_of_head(view.head, *id, names);
  return names;
}

Result<std::uint64_t> Store::delete_messages(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                             const message::Condition& condition, const storage::GoOn& go_on) {
  VARVE_ASSIGN_OR_RETURN(const auto id, find_tenant(tenant));
  if (!id || first_us > last_us) return 0;
  return state_->maintenance.erase_messages({*id, first_us, last_us, condition, go_on});
}

}  // namespace varve::engine::rocksdb
