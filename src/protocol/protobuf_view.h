// SPDX-License-Identifier: Apache-2.0
// The bytes of a field of protobuf, as the library hands them over (protozero::data_view), as a view.
#pragma once

#include <string_view>

namespace varve::protocol {

template <class Bytes>
std::string_view protobuf_view(const Bytes& bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace varve::protocol
