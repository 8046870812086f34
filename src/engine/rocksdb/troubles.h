// SPDX-License-Identifier: Apache-2.0
// Troubles: which works fail for now. Each is logged when it begins to fail and when it goes well again, not each time
// that it is tried.
#pragma once

#include <set>
#include <string_view>

#include "base/log.h"
#include "base/result.h"

namespace varve::engine::rocksdb {

// The caller locks.
class Troubles {
 public:
  // `what` is wrong when this fails: a literal. Returns whether it went well.
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
