// SPDX-License-Identifier: Apache-2.0
// RowSource: messages one after the other, ascending by time_order (row.h), or all descending.
#pragma once

#include <optional>

#include "base/result.h"
#include "message/row.h"

namespace varve::message {

// For one thread.
class RowSource {
 public:
  virtual ~RowSource() = default;
  // The next row, valid until the next call; nullopt: there is none left. After an error it is not called again.
  virtual Result<std::optional<RowView>> next() = 0;
};

}  // namespace varve::message
