// SPDX-License-Identifier: Apache-2.0
// Messages of remote write 1.0, for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace varve::protocol::testing::remote_write {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Samples = std::vector<std::pair<double, std::int64_t>>;

std::string label(std::string_view name, std::string_view value);
std::string sample(double value, std::int64_t time);
std::string series(const Pairs& labels, const Samples& samples);
std::string request(const std::vector<std::string>& all);

}  // namespace varve::protocol::testing::remote_write
