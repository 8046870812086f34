// SPDX-License-Identifier: Apache-2.0
// PassingTexts: texts that all replicas see, and that go by themselves. Implemented where there are several replicas.
// All methods are thread-safe and may block.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "storage/text_store.h"

namespace varve::storage {

class PassingTexts {
 public:
  virtual ~PassingTexts() = default;

  // As TextStore::put_text(), but the text is there for `life` only; other services than TextStore's.
  virtual Status put_passing_text(const TextName& name, std::string_view text, std::chrono::seconds life) = 0;
  // nullopt: there is none (any more).
  [[nodiscard]] virtual Result<std::optional<std::string>> passing_text(const TextName& name) const = 0;
};

}  // namespace varve::storage
