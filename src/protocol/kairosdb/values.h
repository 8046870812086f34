// SPDX-License-Identifier: Apache-2.0
// Complex numbers and histograms in KairosDB's JSON: {"real":1.5,"imaginary":-2} and
// {"bins":{"1.0":3,"2.0":1},"min":1,"max":2,"mean":1.25,"sum":5,"precision":7}.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/value.h"
#include "protocol/json/reader.h"

namespace varve::protocol::kairosdb {

// complex or histogram, by KairosDB's name.
std::optional<model::ValueType> object_type(std::string_view name);

// The value at `e`, which has been skipped, as the bytes of `type` (complex or histogram); the reader is left where it
// was. Returns what is wrong with it; empty: nothing.
std::string read_object(json::Reader& reader, const json::Element& e, model::ValueType type, std::string& bytes);

// A string, complex number or histogram as JSON; null, if the bytes are none.
void append_value(std::string& out, model::ValueType type, std::string_view bytes);

}  // namespace varve::protocol::kairosdb
