// SPDX-License-Identifier: Apache-2.0
// What of a query is asked of the store: selectors, line filters, and label filters in front of every parser as far as
// they are plain. What it lets through fulfils selectors and line filters; other stages look at it again (pipeline.h).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "language/logql/syntax.h"
#include "message/condition.h"

namespace varve::language::logql {

// Names of free fields that are this label (label_name_of), the label's own name not among them.
using FieldNames = std::function<Result<std::vector<std::string>>(std::string_view label)>;

// A selector asks the free field of a label's name as well as the column of that name; one of them has to fulfil it, or
// none may.
Result<message::Condition> condition_of(const LogQuery& query, const FieldNames& names);
Result<message::Condition> condition_of(const std::vector<Matcher>& matchers, const FieldNames& names);

}  // namespace varve::language::logql
