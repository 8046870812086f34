// SPDX-License-Identifier: Apache-2.0
// The fields of a row: what is none of varve's columns, as `key=value`.
#pragma once

#include <string>
#include <string_view>

#include "logs/options.h"
#include "protocol/json/tree.h"

namespace varve::logs {

// ` key=value`, in quotes and escaped where it needs them. What a sender called a field makes neither lines nor pairs.
void append_pair(std::string& out, std::string_view key, std::string_view value);

// The value of a cell as text: arrays and objects as JSON.
std::string value_text(const protocol::json::Node& value);

// Is it a column that varve has, by the name that a question gives it?
bool is_column(std::string_view name);

// Of those that options.fields names, or else of all, the ones that the row has.
void append_field_pairs(std::string& out, const protocol::json::Node& row, const Options& options);

}  // namespace varve::logs
