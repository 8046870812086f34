// SPDX-License-Identifier: Apache-2.0
// The labels that messages have, and how many lines and bytes there are of each kind. Sealed blocks say it from their
// dictionaries, without a message being put together.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "api/loki/asking.h"
#include "language/logql/labels.h"

namespace varve::api {

struct StreamQuestion {
  language::logql::TimeSpan span;
  message::Condition condition;
  std::string_view label = {};  // only this one is looked at; "": all that are of streams
  bool bytes = false;           // are they wanted?
};

// `labels` of `lines` messages, whose lines have so many bytes. The same may come several times.
using StreamSink =
    std::function<Status(const language::logql::Labels& labels, std::uint64_t lines, std::uint64_t bytes)>;

Status each_stream(const LokiAsking& asking, const StreamQuestion& question, const StreamSink& sink);

}  // namespace varve::api
