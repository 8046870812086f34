// SPDX-License-Identifier: Apache-2.0
#include "api/esmond/lookups.h"

#include <algorithm>

namespace varve::api::esmond {
namespace {

std::string in_lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

bool is_listed(std::string_view list, std::string_view value) {
  for (;;) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == value) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<Lookups> Lookups::of(const Request& request, std::span<const std::string_view> fields) {
  constexpr std::pair<std::string_view, Kind> kKinds[] = {{"", Kind::equal},
                                                          {"__contains", Kind::contains},
                                                          {"__icontains", Kind::contains_any_case},
                                                          {"__startswith", Kind::begins},
                                                          {"__in", Kind::in}};
  Lookups out;
  for (const auto& [name, value] : request.query) {
    for (const std::string_view field : fields) {
      if (!name.starts_with(field)) continue;
      const std::string_view rest = std::string_view(name).substr(field.size());
      if (!rest.empty() && !rest.starts_with("__")) continue;
      const auto* const kind = std::ranges::find(kKinds, rest, [](const auto& one) { return one.first; });
      if (kind == std::end(kKinds)) return fail(Code::invalid, "there is no condition \"" + name.substr(0, 100) + "\"");
      out.all_.push_back({std::string(field), kind->second, value});
    }
  }
  return out;
}

bool Lookups::fit(std::string_view field, std::string_view value) const {
  return std::ranges::all_of(all_, [&](const One& one) {
    if (one.field != field) return true;
    switch (one.kind) {
      case Kind::equal: return value == one.text;
      case Kind::contains: return value.contains(one.text);
      case Kind::contains_any_case: return in_lower_case(value).contains(in_lower_case(one.text));
      case Kind::begins: return value.starts_with(one.text);
      case Kind::in: return is_listed(one.text, value);
    }
    return false;
  });
}

}  // namespace varve::api::esmond
