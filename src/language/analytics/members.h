// SPDX-License-Identifier: Apache-2.0
// Members of the JSON objects of a query: nothing in them is ever ignored.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "protocol/json/tree.h"

namespace varve::language::analytics {

using protocol::json::Node;

// Only members of these names, each at most once. `unused`: names that clients send with null where they do not use
// them, and that may be nothing but null. Error: invalid, which names the member; `where` comes in front of it.
Status check_members(const Node& object, std::span<const std::string_view> names,
                     std::span<const std::string_view> unused, std::string_view where);

// The member, or an error (invalid) if it is absent or null.
Result<const Node*> required(const Node& object, std::string_view name, std::string_view where);

// Error: invalid, if it is none.
Result<std::string_view> text_of(const Node& node, std::string_view name);
Result<std::int64_t> whole_number_of(const Node& node, std::string_view name);

}  // namespace varve::language::analytics
