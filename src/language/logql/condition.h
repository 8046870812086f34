// SPDX-License-Identifier: Apache-2.0
// What of a query is asked of the store: selectors, line filters, and label filters in front of every parser as far as
// they are plain. What it lets through fulfils selectors and line filters; other stages look at it again (pipeline.h).
#pragma once

#include <vector>

#include "base/result.h"
#include "language/logql/source.h"
#include "language/logql/syntax.h"
#include "message/condition.h"

namespace varve::language::logql {

// A selector asks the free field of a label's name as well as the column of that name; one of them has to fulfil it, or
// none may.
Result<message::Condition> condition_of(const LogQuery& query, const Source& source);
Result<message::Condition> condition_of(const std::vector<Matcher>& matchers, const Source& source);

}  // namespace varve::language::logql
