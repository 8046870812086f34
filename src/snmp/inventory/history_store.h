// SPDX-License-Identifier: Apache-2.0
// HistoryStore: the history of every device, as texts: parts of rows, of which the last one grows. A row that ends is
// written where it is; what is new goes to the last part, so a device may have any number of rows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "snmp/inventory/history.h"
#include "storage/text_store.h"

namespace varve::snmp::inventory {

inline constexpr std::int64_t kFlapPauseMs = 5 * 60'000;
inline constexpr std::uint32_t kFlapsAtOnce = 10;
inline constexpr std::size_t kHistoryPartBytes = std::size_t{1} << 16;  // a part that has so many grows no further

// All methods are thread-safe and block on the texts. Errors: those of the texts; corrupt.
class HistoryStore {
 public:
  explicit HistoryStore(storage::TextStore& texts) : texts_(texts) {}

  // What a poll at `time` saw, made by history_rows(). A row that is new or has another attribute begins at `time`, and
  // what was there before ends then; so does what a complete walk does not have. A walk that was cut changes nothing,
  // nor does one that is not newer than what is known. A poll of which nothing is new reads and writes no text.
  // A state that flaps (ifOperStatus and the like, and nothing else) begins a row at most once in kFlapPauseMs, after
  // the first kFlapsAtOnce. True: the history has changed.
  Result<bool> record_walk(const std::string& tenant, const std::string& device, HistoryKind kind,
                           model::Timestamp time, bool is_complete, std::vector<HistoryRow> rows);

  // The rows that were at any time of the range, in order of begin. No two rows of a name overlap.
  [[nodiscard]] Result<std::vector<HistoryRow>> rows(const std::string& tenant, const std::string& device,
                                                     HistoryKind kind, model::TimeRange range) const;

  // Erases the rows that ended before then. True: there were some. Errors: as above; what is malformed stays.
  Result<bool> expire(const std::string& tenant, const std::string& device, model::Timestamp horizon);

  // What is kept in memory of a device that is polled here no longer.
  void release(const std::string& tenant, const std::string& device);

 private:
  using Key = std::tuple<std::string, std::string, HistoryKind>;  // tenant, device
  struct Open {
    std::uint64_t attributes = 0;  // their hash
    std::uint64_t calm = 0;        // of those that are no states
    model::Timestamp begin = 0;
    std::uint32_t part = 0;
  };
  struct Known {
    std::unordered_map<std::uint64_t, Open> open = {};            // by the name's hash
    std::unordered_map<std::uint64_t, std::uint32_t> flaps = {};  // quick changes of a name's states
    std::vector<std::uint64_t> parts = {};                        // the hash of each text
    std::size_t last_bytes = 0;                                   // of the last part
    model::Timestamp newest = model::kTimestampMin;               // begin or end
  };
  struct Difference {
    std::map<std::uint32_t, std::set<std::uint64_t>> ended = {};  // part → hashes of names
    std::vector<HistoryRow> begun = {};
  };

  [[nodiscard]] Result<std::vector<std::string>> read(const Key& key) const;
  [[nodiscard]] Result<std::shared_ptr<Known>> load(const Key& key) const;
  static Open open_of(HistoryKind kind, const HistoryRow& row, std::uint32_t part);
  static bool is_damped(Known& known, std::uint64_t name, const Open& before, const Open& now);
  static Difference difference(HistoryKind kind, Known& known, model::Timestamp time, std::vector<HistoryRow> rows);
  // False: somebody else has written meanwhile.
  Result<bool> write(const Key& key, Known& known, model::Timestamp time, const Difference& difference) const;
  Result<bool> write_part(const Key& key, Known& known, std::uint32_t part, model::Timestamp time,
                          const Difference& difference, std::span<const HistoryRow>& begun) const;

  storage::TextStore& texts_;
  Mutex mutex_;
  std::map<Key, std::shared_ptr<Known>> known_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::snmp::inventory
