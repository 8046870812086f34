// SPDX-License-Identifier: Apache-2.0
// What the log says meanwhile.
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace varve::engine::rocksdb::testing {

// One at a time.
class Said {
 public:
  Said() { ::testing::internal::CaptureStderr(); }
  ~Said() {
    if (!done_) static_cast<void>(::testing::internal::GetCapturedStderr());
  }
  Said(const Said&) = delete;
  Said& operator=(const Said&) = delete;
  // Ends it.
  std::string text() {
    done_ = true;
    return ::testing::internal::GetCapturedStderr();
  }

 private:
  bool done_ = false;
};

}  // namespace varve::engine::rocksdb::testing
