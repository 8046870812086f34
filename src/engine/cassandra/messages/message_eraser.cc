// SPDX-License-Identifier: Apache-2.0
#include "engine/cassandra/messages/message_eraser.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/cassandra/messages/blob_bytes.h"
#include "message/id.h"

namespace varve::engine::cassandra {

using Message = message::RowView;
using message::block::Block;

namespace {

constexpr std::size_t kReadBytesMax = std::size_t{4} << 20;  // of hot rows at a time

// What a delete finds in a slot.
class Finding {
 public:
  Finding(const MessageTables& messages, std::string_view tenant, const SlotMessages& slot, EraseMark& mark)
      : messages_(messages), tenant_(tenant), slot_(slot), mark_(mark) {}

  Status hot();
  Status block(const SealedBlock& block);
  [[nodiscard]] std::uint64_t count() const { return messages_without_id_ + ids_.size(); }

 private:
  Status read_hot(const std::vector<HotMessages>& rows);
  // A message with a lasting id may be there twice.
  void found(Message row) {
    mark_.see(row.arrival());
    if (message::has_lasting_id(row)) {
      ids_.emplace(row.time_us(), row.nanos(), message::id_of(row));
    } else {
      ++messages_without_id_;
    }
  }

  const MessageTables& messages_;
  const std::string_view tenant_;
  const SlotMessages& slot_;
  EraseMark& mark_;
  std::uint64_t messages_without_id_ = 0;
  std::set<std::tuple<std::int64_t, unsigned, message::Id>> ids_;
};

Status Finding::read_hot(const std::vector<HotMessages>& rows) {
  if (rows.empty()) return {};
  return messages_.read_hot(tenant_, slot_.slot, rows, [&](const HotMessages&, const std::string& text) -> Status {
    const auto bytes = blob_bytes(text);
    for (const std::byte* at = bytes.data(); at != bytes.data() + bytes.size(); at += Message{at}.bytes()) {
      const Message row{at};
      if (mark_.fits(row) && !is_erased(slot_.marks, row)) found(row);
    }
    return {};
  });
}

Status Finding::hot() {
  std::vector<HotMessages> together;
  std::size_t bytes = 0;
  for (const HotMessages& row : slot_.hot) {
    if (slot_.sealed.covers(row.arrival()) || !mark_.overlaps(row.head.first_us, row.head.last_us)) continue;
    if (bytes + row.head.bytes > kReadBytesMax) {
      VARVE_RETURN_IF_ERROR(read_hot(std::exchange(together, {})));
      bytes = 0;
    }
    together.push_back(row);
    bytes += row.head.bytes;
  }
  return read_hot(together);
}

Status Finding::block(const SealedBlock& about) {
  if (!mark_.overlaps(about.first_us, about.last_us)) return {};
  VARVE_ASSIGN_OR_RETURN(Block block, Block::open(messages_.sections(tenant_, slot_.slot, about.name)));
  VARVE_ASSIGN_OR_RETURN(auto fitting, fitting_in(block, mark_));
  VARVE_ASSIGN_OR_RETURN(const auto gone, erased_in(block, slot_.marks));
  fitting -= gone;
  if (fitting.none()) return {};
  if (!block.has_ids()) {
    VARVE_ASSIGN_OR_RETURN(const auto arrivals, block.arrivals());
    fitting.for_each([&](std::uint32_t row) { mark_.see(static_cast<std::uint64_t>(arrivals[row])); });
    messages_without_id_ += fitting.count();
    return {};
  }
  std::vector<std::uint32_t> which;
  fitting.for_each([&](std::uint32_t row) { which.push_back(row); });
  message::Batch rows;
  VARVE_RETURN_IF_ERROR(block.rows(which, rows));
  const std::byte* at = rows.bytes().data();
  for (std::size_t i = 0; i < which.size(); ++i, at += Message{at}.bytes()) found(Message{at});
  return {};
}

}  // namespace

// The mark is written until it is known to stand: what is counted is counted once.
Result<std::uint64_t> MessageEraser::mark(std::string_view tenant, const SlotMessages& slot, const EraseMark& wanted,
                                          const RegexMeter& meter) {
  EraseMark mark = wanted;
  Finding finding(messages_, tenant, slot, mark);
  VARVE_RETURN_IF_ERROR(finding.hot());
  for (const SealedBlock& block : slot.sealed.blocks) VARVE_RETURN_IF_ERROR(finding.block(block));
  VARVE_RETURN_IF_ERROR(meter.status());
  if (finding.count() == 0) return 0;
  VARVE_ASSIGN_OR_RETURN(mark.version, versions_.draw(slot.sealed.version));
  const auto write = [&]() -> Status {
    std::vector<RowWrite> rows;
    rows.push_back(messages_.mark_write(tenant, slot.slot, mark));
    rows.back().ttl_s = messages_.ttl_s(tenant, slot.slot, clock_.now_ms());
    return rows_.write_now(std::move(rows));
  };
  VARVE_RETURN_IF_ERROR(patiently_(write));
  return finding.count();
}

// A sealer that had read before the mark stood may publish after this: then queries leave the messages out, until the
// slot is sealed again because of the touch.
Status MessageEraser::seal(std::string_view tenant, model::Timestamp slot) {
  VARVE_RETURN_IF_ERROR(patiently_([&]() -> Status {
    VARVE_ASSIGN_OR_RETURN([[maybe_unused]] const auto report, sealer_.seal(tenant, slot));
    return {};
  }));
  if (const auto touches = touches_.touches_of(tenant, {slot})) {
    std::ignore = touches_.tracker().touch(*touches, clock_.now_ms());
  }
  return {};
}

Result<std::uint64_t> MessageEraser::erase(std::string_view tenant, std::int64_t first_us, std::int64_t last_us,
                                           const message::Condition& condition, const storage::GoOn& go_on) {
  const MutexLock only_one(erasing_);
  const EraseMark wanted{0, first_us, last_us, condition, {}};
  std::vector<std::string> owners;
  VARVE_RETURN_IF_ERROR(patiently_([&]() -> Status {
    VARVE_ASSIGN_OR_RETURN(owners, messages_.owners(tenant));
    return {};
  }));
  std::uint64_t erased = 0;
  for (const std::string& owner : owners) {
    VARVE_ASSIGN_OR_RETURN(const std::uint64_t of_owner, erase_of(owner, wanted, go_on));
    erased += of_owner;
  }
  return erased;
}

Result<std::uint64_t> MessageEraser::erase_of(const std::string& owner, const EraseMark& wanted,
                                              const storage::GoOn& go_on) {
  std::vector<SlotMessages> slots;
  VARVE_RETURN_IF_ERROR(patiently_([&]() -> Status {
    VARVE_ASSIGN_OR_RETURN(slots, messages_.read(owner, wanted.first_us, wanted.last_us));
    return {};
  }));
  std::uint64_t erased = 0;
  for (const SlotMessages& known : slots) {
    if (go_on) VARVE_RETURN_IF_ERROR(go_on());
    if (messages_.is_over(owner, known.slot, clock_.now_ms())) continue;
    bool is_to_seal = false;
    std::uint64_t of_slot = 0;
    VARVE_RETURN_IF_ERROR(patiently_([&]() -> Status {
      VARVE_ASSIGN_OR_RETURN(const SlotMessages slot, messages_.read_slot(owner, known.slot));
      const auto is_new = [&](const EraseMark& mark) { return !slot.sealed.applies(mark.version); };
      is_to_seal = std::ranges::any_of(slot.marks, is_new);
      const RegexMeter meter([&go_on] { return go_on ? go_on() : Status(); });
      VARVE_ASSIGN_OR_RETURN(of_slot, mark(owner, slot, wanted, meter));
      return {};
    }));
    erased += of_slot;
    if (of_slot > 0 || is_to_seal) VARVE_RETURN_IF_ERROR(seal(owner, known.slot));
  }
  return erased;
}

}  // namespace varve::engine::cassandra
