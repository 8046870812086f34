// SPDX-License-Identifier: Apache-2.0
// Which steps of the store (Options::at_step) follow from what a test does, and not from when the store's own thread
// happens to look: those of the test's thread, but for what either of them may do first.
#pragma once

#include <string_view>
#include <thread>

namespace varve::engine::rocksdb::testing {

class OwnSteps {
 public:
  [[nodiscard]] bool has(std::string_view step) const {
    return std::this_thread::get_id() == owner_ && !step.starts_with("definitions.") && !step.starts_with("garbage.");
  }

 private:
  const std::thread::id owner_ = std::this_thread::get_id();
};

}  // namespace varve::engine::rocksdb::testing
