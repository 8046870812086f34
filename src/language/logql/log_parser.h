// SPDX-License-Identifier: Apache-2.0
// Parts of the parser: selectors and the stages behind them.
#pragma once

#include <vector>

#include "base/result.h"
#include "language/logql/syntax.h"
#include "language/logql/token_reader.h"

namespace varve::language::logql {

// {name op "value", …}
Result<std::vector<Matcher>> read_selector(TokenReader& tokens);
// All stages that stand here.
Status read_stages(TokenReader& tokens, std::vector<Stage>& out);
// Loki demands a matcher that an absent label does not fulfil.
Status check_selector(const std::vector<Matcher>& matchers);

// "", 'x' …: does an absent label fulfil it?
bool fits_empty(const Matcher& matcher);

}  // namespace varve::language::logql
