// SPDX-License-Identifier: Apache-2.0
#include "http/content_coding.h"

#include <string>
#include <string_view>

#include "base/ascii.h"
#include "http/media_type.h"

namespace varve::http {
namespace {

struct Codings {
  std::vector<codec::Coding> list;
  std::size_t named = 0;

  Status add(std::string_view names) {
    for (;;) {
      const auto comma = names.find(',');
      const std::string_view name = trimmed(names.substr(0, comma));
      if (!name.empty()) {
        if (++named > kCodingsMax) return fail(Code::invalid, "the body has more than two content codings");
        VARVE_ASSIGN_OR_RETURN(const codec::Coding coding, codec::coding_of(lower(name)));
        if (coding != codec::Coding::identity) list.push_back(coding);
      }
      if (comma == std::string_view::npos) return {};
      names.remove_prefix(comma + 1);
    }
  }
};

}  // namespace

Result<std::vector<codec::Coding>> content_codings(const Request& request, bool protobuf_is_snappy) {
  Codings codings;
  for (const auto& [name, value] : request.headers) {
    if (name == "content-encoding") VARVE_RETURN_IF_ERROR(codings.add(value));
  }
  if (codings.named == 0 && is_media_type(request.header("content-type"), "application/gzip")) {
    codings.list.push_back(codec::Coding::gzip);
  }
  if (codings.named == 0 && protobuf_is_snappy &&
      is_media_type(request.header("content-type"), "application/x-protobuf")) {
    codings.list.push_back(codec::Coding::snappy);
  }
  return std::move(codings.list);
}

}  // namespace varve::http
