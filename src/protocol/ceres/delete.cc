// SPDX-License-Identifier: Apache-2.0
#include "protocol/ceres/delete.h"

#include <array>

#include "protocol/ceres/time.h"

namespace varve::protocol::ceres {

namespace {

constexpr std::array<std::string_view, 3> kDeleteParameters = {"start", "end", "tag"};

}  // namespace

Result<Delete> parse_delete(std::span<const Parameter> parameters, bool takes_tags, std::string_view tenant,
                            model::Timestamp now) {
  VARVE_RETURN_IF_ERROR(check_parameters(parameters, std::span(kDeleteParameters).first(takes_tags ? 3 : 2), tenant));
  Delete out;
  for (const auto& [name, value] : parameters) {
    if (name != "tag") continue;
    const std::size_t before = out.tags.size();
    VARVE_RETURN_IF_ERROR(parse_tags(value, out.tags));
    // Without a tag it would be another delete, of more.
    if (out.tags.size() == before) return fail(Code::invalid, "a parameter tag is empty");
  }
  const auto start = parameter(parameters, "start");
  const auto end = parameter(parameters, "end");
  if (start) {
    VARVE_ASSIGN_OR_RETURN(out.range.first, parse_time(*start, now));
    out.range.last = now;
  }
  if (end) {
    VARVE_ASSIGN_OR_RETURN(out.range.last, parse_time(*end, now));
  }
  if (out.range.last < out.range.first) return fail(Code::invalid, "the end lies before the start");
  return out;
}

}  // namespace varve::protocol::ceres
