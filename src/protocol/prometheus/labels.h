// SPDX-License-Identifier: Apache-2.0
// Labels of a remote write series: from the raw bytes of its Label messages to metric and tags.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/tags.h"

namespace varve::protocol::prometheus {

struct Labels {
  std::string_view metric;
  model::TagViews tags;  // normalized
};

// `raw`: Label messages as field 1 of a TimeSeries, one after the other. Views into it.
// Errors (invalid): not protobuf; no __name__; a name that is empty or stands twice; text that is not UTF-8.
Status read_labels(std::string_view raw, Labels& labels);

}  // namespace varve::protocol::prometheus
