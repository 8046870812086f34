// SPDX-License-Identifier: Apache-2.0
// Conditions evaluated on one message.
#pragma once

#include <string_view>

#include "message/condition.h"
#include "message/row.h"

namespace varve::message {

bool matches(const Condition& condition, RowView row);
bool matches(const Term& term, RowView row);

// One cell against a term of its column: is what the term asks for, or the opposite of it for not_equal and
// not_in_range, there?
bool cell_fulfils(const Term& term, std::string_view text);
bool cell_fulfils(const Term& term, std::int64_t number);
// A free field's, which may be a number.
bool field_fulfils(const Term& term, FieldForm form, std::string_view text);

// Is it one of the operators that a message without the cell fulfils?
constexpr bool negates(Op op) { return op == Op::not_equal || op == Op::not_in_range; }

}  // namespace varve::message
