// SPDX-License-Identifier: Apache-2.0
// Keys: who may do what esmond asks for a key for. Without any key everybody may do everything.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/mutex.h"

namespace varve::api {

using EsmondUsers = std::map<std::string, std::string>;  // user → key

enum class EsmondAsker : std::uint8_t {
  known,      // has a key, or none is needed
  anonymous,  // says nothing
  refused,    // says something that is no key
};

// Thread-safe.
class EsmondKeys {
 public:
  // nullptr: keys are not used, and an Authorization means nothing.
  void set(std::shared_ptr<const EsmondUsers> users);

  // Of a header Authorization: "ApiKey user:key" or "Token key".
  [[nodiscard]] EsmondAsker asker(std::string_view authorization) const;

 private:
  mutable Mutex mutex_;
  std::shared_ptr<const EsmondUsers> users_ VARVE_GUARDED_BY(mutex_);
};

}  // namespace varve::api
