// SPDX-License-Identifier: Apache-2.0
// A row of an answer as a line.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "logs/options.h"
#include "protocol/json/tree.h"

namespace varve::logs {

// The names of its columns as a query has them. Views into the row and the reader.
using Row = protocol::json::Node;

// The text of a column; "" if it is absent.
std::string_view cell(const Row& row, std::string_view column);
std::int64_t number_cell(const Row& row, std::string_view column, std::int64_t otherwise);
// Xmlmessage, or whichever of ObjectLog and SystemLog is there.
std::string_view text_cell(const Row& row);
// What is to be printed of it: flattened, unless --raw wants it as it is.
std::string text_of(const Row& row, Format format);

// Appends the line in the format (but not json) that the options want, with its end.
//   text      2017-03-02 21:56:40.401440 err     host module[pid]: text key=value
//   contrail  2017 Mar 02 21:56:40.401440 host [NodeType:Module:Instance:Category][LEVEL] : Type:Seq text
//             of objects  2017 Mar 02 21:56:40.401440 host [NodeType:Module:Instance] : Type: text
//             of traces   2017 Mar 02 21:56:40.401440 Type:Seq text
void append_line(std::string& out, const Row& row, const Options& options);

}  // namespace varve::logs
