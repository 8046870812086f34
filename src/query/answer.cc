// SPDX-License-Identifier: Apache-2.0
#include "query/answer.h"

#include "query/under_way.h"

namespace varve::query {

namespace {

template <class T>
std::size_t bytes_of_all(const std::vector<T>& list) {
  return list.capacity() * sizeof(T);
}

// Short ones are inside of the string.
std::size_t bytes_of_texts(const std::vector<std::string>& texts) {
  std::size_t bytes = bytes_of_all(texts);
  for (const std::string& text : texts) bytes += text.capacity() < sizeof text ? 0 : text.capacity();
  return bytes;
}

std::size_t bytes_of_points(const aggregate::Points& points) {
  return bytes_of_all(points.times) + bytes_of_all(points.types) + bytes_of_all(points.bits) +
         bytes_of_all(points.nulls) + bytes_of_all(points.originals) + bytes_of_all(points.covered_ms) +
         bytes_of_texts(points.texts);
}

}  // namespace

std::size_t bytes_held(const Group& group) {
  std::size_t bytes =
      sizeof group + bytes_of_texts(group.group_values) + bytes_of_texts(group.mixed) + group.tags.bytes();
  for (const auto& [key, value] : group.common) bytes += sizeof key + sizeof value + key.size() + value.size();
  return bytes + bytes_of_points(group.points);
}

std::size_t count_bytes(Answer& answer) {
  std::size_t bytes = bytes_of_all(answer.metrics);
  for (MetricAnswer& metric : answer.metrics) {
    bytes += bytes_of_points(metric.of_nothing);
    for (Group& group : metric.groups) bytes += group.bytes = bytes_held(group);
  }
  return bytes;
}

void let_go(const Answer& answer, Group& group) {
  const std::size_t bytes = group.bytes;
  group = {};
  if (answer.held != nullptr) answer.held->sent(bytes);
}

}  // namespace varve::query
