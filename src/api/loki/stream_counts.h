// SPDX-License-Identifier: Apache-2.0
// The labels that messages have, and how many lines and bytes there are of each kind. Sealed blocks say it from their
// dictionaries, without a message being put together.
#pragma once

#include "api/loki/asking.h"
#include "language/logql/source.h"

namespace varve::api {

Status count_lines(const LokiAsking& asking, const language::logql::CountQuestion& question,
                   const language::logql::CountSink& sink);

}  // namespace varve::api
