// SPDX-License-Identifier: Apache-2.0
// FieldNames: how long the names in lists of fields ("field1=field2=…") are. Groups of one measurement share a list,
// so each name is looked for once a body, not once a line.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "protocol/compare.h"

namespace varve::protocol::influx {

class FieldNames {
 public:
  struct Name {
    std::uint32_t size = 0;  // with its '='
    std::uint32_t mask = 0;  // a bit for each of its first 32 bytes

    // Do both begin with it? As mask_of_equal().
    [[nodiscard]] bool is_in_both(const char* a, const char* b) const {
      return (~mask_of_equal(a, b) & mask) == 0 && (size <= 32 || same_bytes(a, b, size));
    }
  };

  // `count` of them; nullptr if the list has another number of '=', as where a name has one of its own. The list must
  // stay where it is; the answer is good until the next call.
  const Name* of(std::string_view list, unsigned count) {
    if (count == 1) {
      only_ = name_of(list.size());
      return &only_;
    }
    const std::size_t place = reinterpret_cast<std::uintptr_t>(list.data()) * 0x9e3779b97f4a7c15 >> 58;
    Known& known = known_[place];
    if (known.list != list.data()) [[unlikely]] {
      std::swap(known, known_[place ^ 1]);
      if (known.list != list.data()) known = {list.data(), names_in(list)};
    }
    return known.names.size() == count ? known.names.data() : nullptr;
  }

 private:
  struct Known {
    const char* list = nullptr;
    std::vector<Name> names;
  };

  static Name name_of(std::size_t size) {
    return {static_cast<std::uint32_t>(size), size >= 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << size) - 1};
  }
  static std::vector<Name> names_in(std::string_view list) {
    std::vector<Name> names;
    while (!list.empty()) {
      names.push_back(name_of(std::min(list.find('='), list.size() - 1) + 1));
      list.remove_prefix(names.back().size);
    }
    return names;
  }

  std::array<Known, 64> known_;  // each in one of two places
  Name only_;
};

}  // namespace varve::protocol::influx
