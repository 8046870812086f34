// SPDX-License-Identifier: Apache-2.0
// For tests: a request of metrics in JSON as the same request in protobuf.
#pragma once

#include <string>
#include <string_view>

namespace varve::protocol::otlp::testing {

// By a table of the messages' fields (metrics_protobuf_test.cc), in the order of the members.
std::string metrics_protobuf(std::string_view body);

}  // namespace varve::protocol::otlp::testing
