// SPDX-License-Identifier: Apache-2.0
// ForgottenGroups: which line groups may hold a series that was forgotten. Looked at for every batch while there is
// one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "model/ids.h"
#include "model/row.h"

namespace varve::engine::rocksdb {

// The caller locks.
class ForgottenGroups {
 public:
  void add(model::GroupId group) {
    const std::uint32_t g = model::to_int(group);
    if (g >= bits_.size()) bits_.resize(std::max<std::size_t>(g + 1, bits_.size() * 3 / 2));
    count_ += bits_[g] ? 0 : 1;
    bits_[g] = true;
  }
  void remove(model::GroupId group) {
    if (!contains(group)) return;
    check(count_ > 0, "groups are counted");
    bits_[model::to_int(group)] = false;
    --count_;
  }
  [[nodiscard]] bool contains(model::GroupId group) const {
    return model::to_int(group) < bits_.size() && bits_[model::to_int(group)];
  }
  // Does a row belong to one of them?
  [[nodiscard]] bool any_in(std::span<const std::byte> rows) const {
    if (count_ == 0) return false;
    const std::byte* const end = rows.data() + rows.size();
    for (const std::byte* at = rows.data(); at != end;) {
      const model::RowView row{at};
      if (contains(row.group())) return true;
      at += row.bytes();
    }
    return false;
  }
  // Appends the rows that belong to none of them to `out`; returns how many samples the others have.
  std::size_t leave_out(std::span<const std::byte> rows, std::vector<std::byte>& out) const {
    std::size_t samples = 0;
    const std::byte* const end = rows.data() + rows.size();
    for (const std::byte* at = rows.data(); at != end;) {
      const model::RowView row{at};
      at += row.bytes();
      if (contains(row.group())) {
        samples += row.count();
      } else {
        out.insert(out.end(), row.at, at);
      }
    }
    return samples;
  }

 private:
  std::vector<bool> bits_;
  std::size_t count_ = 0;
};

}  // namespace varve::engine::rocksdb
