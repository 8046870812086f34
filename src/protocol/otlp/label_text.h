// SPDX-License-Identifier: Apache-2.0
// Texts of labels: an attribute's value, and a number, as Prometheus' receiver writes them.
#pragma once

#include <string>

#include "protocol/otlp/value.h"

namespace varve::protocol::otlp {

// A text as it is, bytes in base64, numbers in their shortest form, lists and maps as JSON with their names in order;
// nothing for no value.
std::string label_text(const Value& value);

// Of `le` and `quantile`: the shortest digits that read back bit for bit, without an exponent; +Inf, -Inf, NaN.
std::string bound_text(double bound);

}  // namespace varve::protocol::otlp
