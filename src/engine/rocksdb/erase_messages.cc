// SPDX-License-Identifier: Apache-2.0
// Messages go by being left out when their slots are written again, as samples do (erase.cc): all slots in one commit.
// What is acknowledged later comes with later flushes, and is not touched.
#include <algorithm>

#include "base/regex.h"
#include "engine/rocksdb/jobs.h"
#include "engine/rocksdb/runs/message_source.h"
#include "engine/rocksdb/runs/run_cursor.h"
#include "engine/rocksdb/runs/sealed_messages.h"
#include "message/matches.h"
#include "model/time.h"

namespace varve::engine::rocksdb {
namespace {

constexpr std::int64_t kMicrosPerMs = 1000;
constexpr std::uint64_t kRowsBetweenChecks = 4096;

// What is to go, and the commit that it is gathered in.
class MessageEraser {
 public:
  MessageEraser(const JobContext& job, const MessageErasure& what)
      : job_(job), what_(what), draft_(job.tables.database()) {}

  // What an expression may cost is bounded: others wait for maintenance. Error: limit (it would cost more).
  Status slot(const SlotKey& slot, const RunList& runs);
  Result<std::uint64_t> commit();

 private:
  [[nodiscard]] Status go_on() const { return what_.go_on ? what_.go_on() : Status(); }
  // Is the delete still wanted? To be called for each row.
  Status check() { return ++rows_ % kRowsBetweenChecks == 0 ? go_on() : Status(); }
  [[nodiscard]] bool goes(message::RowView row) const {
    return row.time_us() >= what_.first_us && row.time_us() <= what_.last_us && message::matches(what_.condition, row);
  }
  [[nodiscard]] bool goes_whole(const Run& run) const {
    const bool all = what_.condition.kind == message::Condition::Kind::all && what_.condition.parts.empty();
    return all && !run.sealed.empty() && run.sealed.front().first_us >= what_.first_us &&
           run.sealed.back().last_us <= what_.last_us;
  }
  Result<bool> holds_some(const RunList& runs);
  Status edit(const SlotKey& slot, const RunList& runs);
  Status rewrite(const SlotKey& slot, const RunList& runs);

  const JobContext& job_;
  const MessageErasure& what_;
  Database::Draft draft_;
  Change change_{.what = "erase"};
  std::uint64_t erased_ = 0;
  std::uint64_t rows_ = 0;  // that were looked at
};

// Slots of which nothing goes are not written again.
Result<bool> MessageEraser::holds_some(const RunList& runs) {
  auto rows = merged_messages(runs, job_.tables.database());
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, rows.next());
    if (!row) return false;
    VARVE_RETURN_IF_ERROR(check());
    if (goes(*row)) return true;
  }
}

Status MessageEraser::rewrite(const SlotKey& slot, const RunList& runs) {
  std::uint64_t content = 0;
  for (const auto& run : runs) content = std::max(content, run->content);
  SealedMessagesWriter writer({slot, job_.tables.numbers().draw()}, content, draft_);
  auto rows = merged_messages(runs, job_.tables.database());
  while (true) {
    VARVE_ASSIGN_OR_RETURN(const auto row, rows.next());
    if (!row) break;
    VARVE_RETURN_IF_ERROR(check());
    if (goes(*row)) {
      ++erased_;
    } else {
      VARVE_RETURN_IF_ERROR(writer.add(*row));
    }
  }
  VARVE_ASSIGN_OR_RETURN(auto run, writer.finish());
  if (run != nullptr) change_.commit.added.push_back(std::move(run));
  return {};
}

Status MessageEraser::slot(const SlotKey& slot, const RunList& runs) {
  const RegexMeter meter([this] { return go_on(); });
  VARVE_RETURN_IF_ERROR(edit(slot, runs));
  return meter.status();
}

Status MessageEraser::edit(const SlotKey& slot, const RunList& runs) {
  if (runs.size() == 1 && goes_whole(*runs[0])) {
    erased_ += runs[0]->samples;
  } else {
    VARVE_ASSIGN_OR_RETURN(const bool some, holds_some(runs));
    if (!some) return {};
    VARVE_RETURN_IF_ERROR(rewrite(slot, runs));
  }
  change_.commit.removed.insert(change_.commit.removed.end(), runs.begin(), runs.end());
  return {};
}

Result<std::uint64_t> MessageEraser::commit() {
  if (change_.commit.removed.empty()) return 0;
  VARVE_RETURN_IF_ERROR(draft_.flush());  // a full disk refuses all of it
  VARVE_RETURN_IF_ERROR(job_.tables.commit(std::move(change_), draft_));
  return erased_;
}

}  // namespace

Result<std::uint64_t> erase_messages(const JobContext& job, const MessageErasure& what) {
  VARVE_RETURN_IF_ERROR(job.env.step("erase.begin"));
  MessageEraser eraser(job, what);
  const auto current = job.tables.runs();
  auto at = current->messages.lower_bound(before_messages(what.tenant));
  for (; at != current->messages.end() && at->first.tenant == what.tenant; ++at) {
    const std::int64_t first_us = at->first.start * kMicrosPerMs;
    const std::int64_t last_us = first_us + job.env.chunk_width_ms * kMicrosPerMs - 1;
    if (last_us >= what.first_us && first_us <= what.last_us) {
      VARVE_RETURN_IF_ERROR(eraser.slot(at->first, at->second.runs));
    }
  }
  return eraser.commit();
}

}  // namespace varve::engine::rocksdb
