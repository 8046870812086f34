// SPDX-License-Identifier: Apache-2.0
// Collector: makes records of what one poll of one device finds, with the tags that the correlator says. It keeps them
// until the poll ends, because only then it is known whether two rows have one name, or whether names changed
// meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "counter/declared.h"
#include "snmp/correlation/increases.h"
#include "snmp/correlation/name_table.h"
#include "snmp/correlation/records.h"
#include "snmp/inventory/history.h"
#include "snmp/walk/walk.h"

namespace varve::snmp::correlation {

inline constexpr std::size_t kTagBytesMax = 1024;  // of a value that an agent gives

// The values of a column that is looked up, by index.
using LookUp = std::map<std::vector<std::uint32_t>, std::string>;

// What is kept of a device and set from poll to poll.
struct Memory {
  struct Table {
    std::size_t pass = 0, first_value = 0;
    NameTable names = {};
  };
  walk::Fit fit = {};
  std::vector<Table> tables = {};
  std::vector<LookUp> look_ups = {};  // as Plan::names; empty where nothing is looked up
  model::GroupId uptime = model::kNoGroup;
  std::uint32_t uptime_ticks = 0;  // of the last poll that had it
  std::uint64_t history_hash = 0;  // of the rows that were handed over last
  std::uint64_t generation = 0;    // GroupFinder::generation() when the numbers of groups were found
  CounterMemory counters = {};

  [[nodiscard]] std::size_t memory_bytes() const;
};

// What is known outside of a poll: the numbers of line groups by name, which are kept from poll to poll.
class GroupFinder {
 public:
  // kNoGroup: it is not defined yet.
  virtual model::GroupId find(const GroupName& name) = 0;
  // When it changes, numbers that were found before are soon good no more.
  [[nodiscard]] virtual std::uint64_t generation() const { return 0; }
  // What a counter is judged by. nullopt: by its type alone.
  virtual std::optional<counter::Declaration> rules(std::string_view /*metric*/, const counter::TagOf& /*tag*/) {
    return std::nullopt;
  }

 protected:
  ~GroupFinder() = default;
};

// What a poll brought.
struct Found {
  Records records = {};
  std::vector<std::vector<std::string>> oids = {};  // if asked for: of each record's values, dotted
  std::vector<inventory::WalkedRow> history = {};   // of a set with a history, else empty
  std::uint64_t history_hash = 0;                   // of these; 0: none
  model::Timestamp first_ms = 0, last_ms = 0;       // when its first and its last answer were received; 0: none was
  std::uint32_t unnamed = 0, doubled = 0;           // rows that were left out
  std::string doubled_name = {};                    // of one of them
  std::uint32_t records_dropped = 0;                // because names changed during the poll
  bool renumbered = false;                          // names changed during the poll: its rows are not there
  bool restarted = false;                           // sysUpTime went back since the last poll
  UnknownIncreases unknown = {};                    // since the last poll

  void clear();
  // What is not there, and why, for a person.
  [[nodiscard]] std::vector<std::string> left_out() const;
};

// One poll at a time, but may be used again. For one thread.
class Collector final : public walk::Sink {
 public:
  // `found` is filled; all must outlive the poll. `explains`: Found::oids, too.
  void begin(const walk::Plan& plan, std::string_view device, Memory& memory, GroupFinder& finder, Found& found,
             bool explains = false);
  // `whole`: the walk came to its end. Afterwards `found` is complete.
  void end(bool whole);

  void on_uptime(std::uint32_t ticks, model::Timestamp at) override;
  void on_scalar(std::uint16_t measure, const session::Binding& value, model::Timestamp at) override;
  void on_row(const walk::Row& row) override;
  void on_whole_pass(std::size_t pass) override;

 private:
  // The texts that make a row's tags.
  struct Texts {
    std::vector<std::string> parts = {}, columns = {};
    const inventory::Layout* layout = nullptr;
  };
  bool look(const walk::Row& row, Texts& texts) const;
  bool name_row(const walk::Row& row);
  void add_metrics(const walk::Row& row);
  void add_history(const walk::Row& row);
  void add_look_up(const walk::Row& row);
  void flush_scalars();
  void begin_name();
  void add(Record head, std::uint32_t table);
  std::uint32_t table_of(const walk::Row& row);
  void seen(model::Timestamp at);
  void drop_doubled();
  void watch_increases();
  bool name_entry(const Memory::Table& table, std::uint32_t row);

  const walk::Plan* plan_ = nullptr;
  std::string_view device_;
  Memory* memory_ = nullptr;
  GroupFinder* finder_ = nullptr;
  Found* found_ = nullptr;

  GroupName name_;
  std::vector<std::int64_t> values_;
  struct ScalarValue {
    std::uint16_t measure;
    std::int64_t value;
    std::string oid;
  };
  std::vector<ScalarValue> scalars_;
  model::Timestamp scalars_at_ = 0;
  std::vector<LookUp> look_ups_, look_ups_again_;  // of this poll
  bool looked_up_ = false;
  std::vector<bool> whole_;  // passes
  bool explains_ = false;
  std::vector<std::string> oids_;  // of values_, if it explains
  std::vector<std::uint32_t> table_of_record_;
  Records kept_;
};

}  // namespace varve::snmp::correlation
