// SPDX-License-Identifier: Apache-2.0
// Any target either fails or gives a path that starts with '/' (or is "*"); nothing grows by decoding, and what is told
// of slashes is true.
#include <cstdint>
#include <cstdlib>

#include "http/url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace varve::http;
  const std::string_view target(reinterpret_cast<const char*>(data), size);
  std::string path;
  Parameters query;
  NameSlashes slashes;
  if (!parse_target(target, path, query, &slashes)) return 0;
  if (path.empty() || (path[0] != '/' && path != "*")) std::abort();
  std::size_t bytes = path.size();
  for (const auto& [name, value] : query) bytes += name.size() + value.size();
  if (bytes > size + 1) std::abort();
  static_cast<void>(take_tenant(path, slashes));
  for (const std::size_t at : slashes) {
    if (at >= path.size() || path[at] != '/') std::abort();
  }
  if (path.empty()) std::abort();
  return 0;
}
