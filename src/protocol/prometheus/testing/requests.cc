// SPDX-License-Identifier: Apache-2.0
#include "protocol/prometheus/testing/requests.h"

#include <protozero/pbf_writer.hpp>

namespace varve::protocol::testing::remote_write {

std::string label(std::string_view name, std::string_view value) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  to.add_string(1, name.data(), name.size());
  to.add_string(2, value.data(), value.size());
  return bytes;
}

std::string sample(double value, std::int64_t time) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  to.add_double(1, value);
  to.add_int64(2, time);
  return bytes;
}

std::string series(const Pairs& labels, const Samples& samples) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  for (const auto& [name, value] : labels) to.add_message(1, label(name, value));
  for (const auto& [value, time] : samples) to.add_message(2, sample(value, time));
  return bytes;
}

std::string request(const std::vector<std::string>& all) {
  std::string bytes;
  protozero::pbf_writer to(bytes);
  for (const auto& one : all) to.add_message(1, one);
  return bytes;
}

}  // namespace varve::protocol::testing::remote_write
