// SPDX-License-Identifier: Apache-2.0
// KeptResults: where results of queries that are answered later are kept, as parts of the answer's body, until they can
// be read no more. ResultsInMemory is for one process, ResultsInTexts for replicas that all show the same.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/memory_ledger.h"
#include "base/mutex.h"
#include "base/result.h"
#include "language/analytics/query_state.h"
#include "storage/passing_texts.h"

namespace varve::language::analytics {

// Who has begun to read a result when its time is over may end.
inline constexpr std::int64_t kResultGraceUs = 60'000'000;
inline constexpr std::size_t kResultPartBytes = std::size_t{512} * 1024;  // but the last one

// Thread-safe; may block.
class KeptResults {
 public:
  virtual ~KeptResults() = default;

  // Errors: unavailable (no room), io.
  virtual Status put_state(const QueryName& query, const QueryState& state) = 0;
  // nullopt: there is none, or its time is over.
  [[nodiscard]] virtual Result<std::optional<QueryState>> state(const QueryName& query) = 0;

  // Numbers from 0 on. Errors: as above.
  virtual Status put_part(const QueryName& query, std::uint32_t number, std::string part) = 0;
  // Errors: not_found (its time is over); unavailable, io.
  [[nodiscard]] virtual Result<std::shared_ptr<const std::string>> part(const QueryName& query,
                                                                        std::uint32_t number) = 0;

  // Forgets what is over. Called now and then.
  virtual void sweep() {}
  // What is held in this process.
  [[nodiscard]] virtual std::size_t bytes() { return 0; }
};

// All of them together take at most a quarter of limits.memory, and count in its ledger.
class ResultsInMemory final : public KeptResults {
 public:
  static constexpr std::size_t kShare = 4;
  static constexpr std::size_t kWithoutLedgerMax = std::size_t{256} << 20;

  ResultsInMemory(const Clock& clock, const std::shared_ptr<MemoryLedger>& ledger)
      : clock_(clock),
        bytes_max_(ledger == nullptr ? kWithoutLedgerMax : ledger->limit() / kShare),
        held_(ledger, MemoryLedger::Kind::answer) {}

  Status put_state(const QueryName& query, const QueryState& state) override;
  [[nodiscard]] Result<std::optional<QueryState>> state(const QueryName& query) override;
  Status put_part(const QueryName& query, std::uint32_t number, std::string part) override;
  [[nodiscard]] Result<std::shared_ptr<const std::string>> part(const QueryName& query, std::uint32_t number) override;
  void sweep() override;
  [[nodiscard]] std::size_t bytes() override;

 private:
  static constexpr std::size_t kEntryBytes = 1024;  // of a state with its names
  struct Entry {
    QueryState state;
    std::vector<std::shared_ptr<const std::string>> parts;
    std::size_t bytes = 0;
  };
  Status take(Entry& entry, std::size_t bytes) VARVE_REQUIRES(mutex_);
  void give_back(std::size_t bytes) VARVE_REQUIRES(mutex_);
  [[nodiscard]] std::int64_t now_us() const { return clock_.now_ms() * 1000; }

  const Clock& clock_;
  const std::size_t bytes_max_;
  Mutex mutex_;
  std::map<QueryName, Entry> entries_ VARVE_GUARDED_BY(mutex_);
  MemoryLedger::Account held_ VARVE_GUARDED_BY(mutex_);
};

class ResultsInTexts final : public KeptResults {
 public:
  ResultsInTexts(const Clock& clock, storage::PassingTexts& texts, std::int64_t timeout_ms)
      : clock_(clock), texts_(texts), timeout_ms_(timeout_ms) {}

  Status put_state(const QueryName& query, const QueryState& state) override;
  [[nodiscard]] Result<std::optional<QueryState>> state(const QueryName& query) override;
  Status put_part(const QueryName& query, std::uint32_t number, std::string part) override;
  [[nodiscard]] Result<std::shared_ptr<const std::string>> part(const QueryName& query, std::uint32_t number) override;

 private:
  const Clock& clock_;
  storage::PassingTexts& texts_;
  const std::int64_t timeout_ms_;  // of a query: its first part is that much older than its end
};

}  // namespace varve::language::analytics
