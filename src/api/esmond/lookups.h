// SPDX-License-Identifier: Apache-2.0
// Lookups: conditions on texts in a request's parameters, as Django has them: ifName=a, ifName__contains=a,
// __icontains, __startswith, __in=a,b.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/shared/http.h"
#include "base/result.h"

namespace varve::api::esmond {

class Lookups {
 public:
  // Those of these fields; other parameters are not looked at. Error: invalid (an unknown condition on one of them).
  static Result<Lookups> of(const Request& request, std::span<const std::string_view> fields);

  // Do all conditions on the field hold?
  [[nodiscard]] bool fit(std::string_view field, std::string_view value) const;
  [[nodiscard]] bool empty() const { return all_.empty(); }

 private:
  enum class Kind { equal, contains, contains_any_case, begins, in };
  struct One {
    std::string field;
    Kind kind;
    std::string text;
  };
  std::vector<One> all_;
};

}  // namespace varve::api::esmond
