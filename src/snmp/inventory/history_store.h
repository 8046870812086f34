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

class StagedTexts;

// What a poll saw.
struct HistoryWalk {
  std::string tenant = {}, device = {};
  HistoryKind kind = HistoryKind::interfaces;
  model::Timestamp time = 0;
  bool is_complete = false;           // false: it was cut, or failed
  std::vector<HistoryRow> rows = {};  // made by history_rows()
};

inline constexpr std::size_t kHistoryPartBytes = std::size_t{1} << 16;  // a part that has so many grows no further

// All methods are thread-safe and block on the texts. Errors: those of the texts; corrupt.
class HistoryStore {
 public:
  explicit HistoryStore(storage::TextStore& texts) : texts_(texts) {}

  // A row that is new or has another attribute begins at the walk's time, and what was there before ends then; so does
  // what a complete walk does not have. A walk that was cut changes nothing, nor does one that is not newer than what
  // is known. Walks of which nothing is new read and write no text; what is new of all of them is written together,
  // which costs little more than one. After an error some of it may have been written.
  Status record_walks(std::span<const HistoryWalk> walks);
  Status record_walk(const HistoryWalk& walk) { return record_walks({&walk, 1}); }

  // The rows that were at any time of the range, in order of begin. No two rows of a name overlap.
  [[nodiscard]] Result<std::vector<HistoryRow>> rows(const std::string& tenant, const std::string& device,
                                                     HistoryKind kind, model::TimeRange range) const;

  // What is kept in memory of a device that is polled here no longer.
  void release(const std::string& tenant, const std::string& device);

 private:
  using Key = std::tuple<std::string, std::string, HistoryKind>;  // tenant, device
  struct Open {
    std::uint64_t attributes = 0;  // their hash
    std::uint32_t part = 0;
  };
  struct Known {
    std::unordered_map<std::uint64_t, Open> open = {};  // by the name's hash
    std::vector<std::uint64_t> parts = {};              // the hash of each text
    std::size_t last_bytes = 0;                         // of the last part
    model::Timestamp newest = model::kTimestampMin;     // begin or end
  };
  struct Difference {
    std::map<std::uint32_t, std::set<std::uint64_t>> ended = {};  // part → hashes of names
    std::vector<HistoryRow> begun = {};
  };

  // `texts`: a TextStore or StagedTexts.
  template <class Texts>
  static Result<std::vector<std::string>> read(const Texts& texts, const Key& key);
  static Result<std::shared_ptr<Known>> load(const StagedTexts& texts, const Key& key);
  static Difference difference(const Known& known, std::span<const HistoryRow> rows);
  // False: somebody else has written meanwhile.
  static Result<bool> write(StagedTexts& texts, const Key& key, Known& known, model::Timestamp time,
                            const Difference& difference);
  static Result<bool> write_part(StagedTexts& texts, const Key& key, Known& known, std::uint32_t part,
                                 model::Timestamp time, const Difference& difference,
                                 std::span<const HistoryRow>& begun);
  Status stage(StagedTexts& texts, const Key& key, const HistoryWalk& walk) VARVE_REQUIRES(mutex_);

  storage::TextStore& texts_;
  Mutex mutex_;
  std::map<Key, std::shared_ptr<Known>> known_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::snmp::inventory
