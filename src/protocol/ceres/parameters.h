// SPDX-License-Identifier: Apache-2.0
// The parameters of a Ceres URL, looked at strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace varve::protocol::ceres {

using Parameter = std::pair<std::string, std::string>;  // decoded

// For a message: a text in quotes, cut when it is long.
std::string in_quotes(std::string_view text);
bool is_blank(std::string_view text);

// Each is one of `known` and stands at most once (`tag` as often as you like). `tenant` is the request's: a parameter
// that names another one (tenant, maskTenantId) is refused, because it may not choose. Error: invalid.
Status check_parameters(std::span<const Parameter> parameters, std::span<const std::string_view> known,
                        std::string_view tenant);

std::optional<std::string_view> parameter(std::span<const Parameter> parameters, std::string_view name);

// metricName or metricGroup: exactly one of them, not blank. Error: invalid.
struct Subject {
  std::string name;
  bool is_group = false;
};
Result<Subject> subject_of(std::span<const Parameter> parameters);

// A parameter that has to be there and not blank. Error: invalid.
Result<std::string> required(std::span<const Parameter> parameters, std::string_view name);

// What part of a list is wanted: parameters offset and limit (0: to the end). Error: invalid.
struct Paging {
  std::uint64_t offset = 0;
  std::uint64_t limit = 0;

  // The part of a list of `size`: [first, last).
  [[nodiscard]] std::pair<std::size_t, std::size_t> part(std::size_t size) const;
};
Result<Paging> paging_of(std::span<const Parameter> parameters);

}  // namespace varve::protocol::ceres
