// SPDX-License-Identifier: Apache-2.0
// The bytes that name a line group in protocols that write other things between its metric and its tags: the two
// pieces as written, one behind the other. The first piece must say itself where it ends (a quoted string, a word).
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "model/line_group.h"

namespace varve::protocol {

class SplitKey {
 public:
  std::string_view name, tags;

  // Are these the bytes that name `group`?
  [[nodiscard]] bool is_of(const model::LineGroup& group) {
    if (group.name_bytes != name.size() + tags.size()) return false;
    if (group.raw_name == nullptr) return group.is(joined());
    return std::memcmp(group.raw_name, name.data(), name.size()) == 0 &&
           std::memcmp(group.raw_name + name.size(), tags.data(), tags.size()) == 0;
  }

  // With `name` known: do the bytes at `at` go on as `group`'s tags do? Then takes them, without looking where they
  // end: equal bytes ended there when the group was defined.
  [[nodiscard]] bool take_tags(const char* at, const char* end, const model::LineGroup& group) {
    if (name.empty() || group.name_bytes < name.size()) return false;
    const std::size_t bytes = group.name_bytes - name.size();
    if (static_cast<std::size_t>(end - at) < bytes) return false;
    tags = {at, bytes};
    if (is_of(group)) return true;
    tags = {};
    return false;
  }

  // Valid until the next call.
  std::string_view joined() { return joined_.assign(name).append(tags); }

 private:
  std::string joined_;
};

}  // namespace varve::protocol
