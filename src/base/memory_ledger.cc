// SPDX-License-Identifier: Apache-2.0
#include "base/memory_ledger.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace varve {

MemoryLedger::MemoryLedger(std::size_t limit) : limit_(limit) {
  const std::size_t share = std::min(limit / 8, kShareMax);
  shares_ = {Share{share}, Share{share}, Share{limit - 2 * share}};
}

std::size_t MemoryLedger::held(Kind kind) const {
  const MutexLock lock(mutex_);
  return held_[static_cast<std::size_t>(kind)];
}

std::size_t MemoryLedger::held() const {
  const auto held = held_by_kind();
  return held[0] + held[1] + held[2];
}

std::array<std::size_t, 3> MemoryLedger::held_by_kind() const {
  const MutexLock lock(mutex_);
  return held_;
}

std::size_t MemoryLedger::room() const {
  const MutexLock lock(mutex_);
  const Share& rest = shares_[static_cast<std::size_t>(Place::rest)];
  return rest.max - rest.used;
}

bool MemoryLedger::move(Account& account, Kind kind, std::size_t bytes) {
  const MutexLock lock(mutex_);
  Share& before = share(account.place_);
  before.used -= account.bytes_;
  Place place = kind == Kind::body ? Place::bodies : Place::queries;
  const bool small = bytes <= kSmallMax && !account.large_;
  if (!small || !share(place).has(bytes)) place = Place::rest;
  // What becomes less may stay where it is, whoever has come to the other shares meanwhile.
  if (!share(place).has(bytes) && bytes <= account.bytes_) place = account.place_;
  if (!share(place).has(bytes)) {
    before.used += account.bytes_;
    return false;
  }
  share(place).used += bytes;
  held_[static_cast<std::size_t>(account.kind_)] -= account.bytes_;
  held_[static_cast<std::size_t>(kind)] += bytes;
  account.kind_ = kind;
  account.place_ = place;
  account.bytes_ = bytes;
  return true;
}

bool MemoryLedger::Account::become(Kind kind, std::size_t bytes) {
  if (ledger_ != nullptr) return (bytes == bytes_ && kind == kind_) || ledger_->move(*this, kind, bytes);
  kind_ = kind;
  bytes_ = bytes;
  return true;
}

void MemoryLedger::Account::clear() {
  static_cast<void>(resize(0));
  large_ = false;
}

void MemoryLedger::register_metrics(const std::shared_ptr<MemoryLedger>& ledger, Metrics& metrics) {
  // They are read one after the other, the first one first, and what one gives another may take meanwhile: so that
  // their sum is not more than there ever was, all are of the time when the first was read.
  const auto shown = std::make_shared<std::array<std::atomic<std::size_t>, 3>>();
  for (const auto& [kind, name] :
       {std::pair{Kind::body, "body"}, std::pair{Kind::query, "query"}, std::pair{Kind::answer, "answer"}}) {
    const auto read = [ledger, shown, kind] {
      if (kind == Kind::body) {
        const auto held = ledger->held_by_kind();
        for (std::size_t i = 0; i < held.size(); ++i) (*shown)[i] = held[i];
      }
      return static_cast<double>((*shown)[static_cast<std::size_t>(kind)]);
    };
    metrics.gauge("varve_memory_bytes", "Memory that requests hold, by what it is; together at most limits.memory.",
                  read, {{"kind", std::string_view(name)}});
  }
  metrics.counter_from("varve_http_shed_total", "Requests refused because requests held all of limits.memory.",
                       [ledger] { return static_cast<double>(ledger->refused()); });
}

}  // namespace varve
