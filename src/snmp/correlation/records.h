// SPDX-License-Identifier: Apache-2.0
// Records: samples on their way from a poll to the store, packed behind each other. A record is one row of a line
// group; a group that the store does not know yet comes with its name, from which the store's side defines it.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"
#include "model/tags.h"
#include "model/time.h"

namespace varve::snmp::correlation {

// What names a line group, as raw bytes: tags and metrics, each with its length before it.
struct GroupName {
  std::string tags = {};
  std::string metrics = {};

  void clear();
  void add_tag(std::string_view key, std::string_view value);
  void add_metric(std::string_view metric);
};
// What add_tag() and add_metric() made. Views of `bytes`.
std::vector<std::string_view> texts_of(std::string_view bytes);
model::TagViews tags_of(std::string_view bytes);

struct Record {
  model::GroupId group = model::kNoGroup;  // kNoGroup: `name` says which
  model::Timestamp at = 0;
  std::uint32_t row = 0;    // of the poll that made it
  std::uint16_t count = 0;  // of values
  bool is_real = false;     // doubles' bits; else whole numbers
  std::uint32_t tag_bytes = 0, metric_bytes = 0;
};

// Views into Records.
struct RecordView {
  Record head = {};
  std::span<const std::int64_t> values = {};
  std::string_view tags = {}, metrics = {};
  std::span<const std::byte> bytes = {};  // the whole of it, for Records::add()
};

// For one thread.
class Records {
 public:
  void clear() { words_.clear(), count_ = samples_ = 0; }
  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::size_t samples() const { return samples_; }

  // head.count, tag_bytes and metric_bytes are set here. `name`: nullptr if the number of the group is known.
  void add(Record head, std::span<const std::int64_t> values, const GroupName* name);
  void add(const RecordView& record);

  // Calls each(RecordView) in order.
  template <class Each>
  void for_each(const Each& each) const {
    for (std::size_t at = 0; at < words_.size();) each(view(at));
  }

 private:
  [[nodiscard]] RecordView view(std::size_t& at) const;

  std::vector<std::uint64_t> words_;
  std::size_t count_ = 0, samples_ = 0;
};

}  // namespace varve::snmp::correlation
