// SPDX-License-Identifier: Apache-2.0
// Troubles: the set of tasks that currently fail. Each is logged when it starts to fail and when it succeeds again, not
// at every attempt.
#pragma once

#include <set>
#include <string_view>

#include "base/log.h"
#include "base/result.h"

namespace varve::engine::rocksdb {

// Not thread-safe.
class Troubles {
 public:
  // Records the outcome of one attempt. `what`: a literal that says what is wrong if it failed. Returns whether it
  // succeeded.
  bool note(std::string_view what, const Status& status) {
    if (status) {
      if (failing_.erase(what) > 0) log::info("goes on again", {{"trouble", what}});
    } else if (failing_.insert(what).second) {
      log::error(what, {{"error", status.error().message}});
    }
    return bool(status);
  }

 private:
  std::set<std::string_view> failing_;
};

}  // namespace varve::engine::rocksdb
