// SPDX-License-Identifier: Apache-2.0
// NameTable: the rows of one table as the last poll found them: index, the bytes of the columns that name them, and the
// line group that these led to. A row that looks as it did is known by comparing bytes; tags are made of new ones only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "snmp/session/binding.h"

namespace varve::snmp::correlation {

// For one thread. Between start() and finish() rows come in the order of their indexes.
class NameTable {
 public:
  struct Entry {
    std::uint64_t mask = 0;                  // the values that its last samples had
    std::uint64_t hash = 0;                  // of its tags; 0: it has none, and is left out
    model::GroupId group = model::kNoGroup;  // of its last samples
    std::uint32_t at = 0;                    // in bytes_
    bool doubled = false;                    // another row has the same tags: both are left out
  };

  void start();
  // The row's entry: as it was if index and names are the same, else a new one (`is_new`).
  Entry& of(session::Name index, std::span<const session::Binding* const> names, bool& is_new);
  // The number of the row that of() returned last, counted from start().
  [[nodiscard]] std::uint32_t row() const { return row_ - 1; }
  // Marks rows with equal tags if rows have changed; `whole`: rows that did not come are gone.
  void finish(bool whole);
  // All names are to be made anew.
  void clear();
  // All groups are to be found anew.
  void forget_groups();

  [[nodiscard]] bool has_changed() const { return changed_; }  // since start()
  // As of finish(): rows that are left out, and the first name of one that is doubled.
  [[nodiscard]] std::uint32_t unnamed() const { return unnamed_; }
  [[nodiscard]] std::uint32_t doubled() const { return doubled_; }
  [[nodiscard]] std::string doubled_name() const;
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  // What names a row that is there; views until the next start(). nullopt: the agent has no such cell.
  struct Names {
    std::vector<session::Arc> index = {};
    std::vector<std::optional<std::string_view>> texts = {};
  };
  [[nodiscard]] Names names_of(const Entry& entry) const;
  [[nodiscard]] std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry) + bytes_.capacity(); }

 private:
  void append_key(session::Name index, std::span<const session::Binding* const> names);

  std::vector<Entry> entries_;  // ascending by index
  std::string bytes_;
  std::string key_;        // of the row that is looked for
  std::uint32_t row_ = 0;  // the next
  bool changed_ = false;
  std::uint32_t unnamed_ = 0, doubled_ = 0;
  // While rows change: those that were there before, and where the search for the next one begins.
  std::vector<Entry> old_;
  std::string old_bytes_;
  std::size_t old_at_ = 0;
};

// The raw value of a cell that names a row: what is compared, and what becomes text.
std::string_view raw_text(const session::Binding* cell, std::string& number);

}  // namespace varve::snmp::correlation
