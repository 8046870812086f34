// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/testing/metrics_protobuf.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <string_view>

#include <protozero/pbf_writer.hpp>

#include "protocol/json/number.h"
#include "protocol/json/tree.h"

namespace varve::protocol::otlp::testing {
namespace {

enum class FieldType { text, base64, boolean, varint, fixed, real, fixed_list, real_list, message };

struct FieldRule {
  std::string_view in, member;
  unsigned number;
  FieldType type;
  std::string_view message = {};
};

constexpr FieldRule kFieldRules[] = {
    {"request", "resourceMetrics", 1, FieldType::message, "resourceMetrics"},
    {"resourceMetrics", "resource", 1, FieldType::message, "resource"},
    {"resourceMetrics", "scopeMetrics", 2, FieldType::message, "scopeMetrics"},
    {"resource", "attributes", 1, FieldType::message, "pair"},
    {"scopeMetrics", "scope", 1, FieldType::message, "scope"},
    {"scope", "name", 1, FieldType::text},
    {"scopeMetrics", "metrics", 2, FieldType::message, "metric"},
    {"metric", "name", 1, FieldType::text},
    {"metric", "description", 2, FieldType::text},
    {"metric", "description", 2, FieldType::text},
    {"metric", "unit", 3, FieldType::text},
    {"metric", "gauge", 5, FieldType::message, "numbers"},
    {"metric", "sum", 7, FieldType::message, "numbers"},
    {"metric", "histogram", 9, FieldType::message, "histograms"},
    {"metric", "exponentialHistogram", 10, FieldType::message, "exponentials"},
    {"metric", "summary", 11, FieldType::message, "summaries"},
    {"numbers", "dataPoints", 1, FieldType::message, "number"},
    {"numbers", "aggregationTemporality", 2, FieldType::varint},
    {"numbers", "isMonotonic", 3, FieldType::boolean},
    {"histograms", "dataPoints", 1, FieldType::message, "histogram"},
    {"histograms", "aggregationTemporality", 2, FieldType::varint},
    {"exponentials", "dataPoints", 1, FieldType::message, "exponential"},
    {"exponentials", "aggregationTemporality", 2, FieldType::varint},
    {"summaries", "dataPoints", 1, FieldType::message, "summary"},
    {"number", "startTimeUnixNano", 2, FieldType::fixed},
    {"number", "timeUnixNano", 3, FieldType::fixed},
    {"number", "asDouble", 4, FieldType::real},
    {"number", "exemplars", 5, FieldType::message, "exemplar"},
    {"number", "asInt", 6, FieldType::fixed},
    {"number", "attributes", 7, FieldType::message, "pair"},
    {"number", "flags", 8, FieldType::varint},
    {"histogram", "timeUnixNano", 3, FieldType::fixed},
    {"histogram", "count", 4, FieldType::fixed},
    {"histogram", "sum", 5, FieldType::real},
    {"histogram", "bucketCounts", 6, FieldType::fixed_list},
    {"histogram", "explicitBounds", 7, FieldType::real_list},
    {"histogram", "exemplars", 8, FieldType::message, "exemplar"},
    {"histogram", "attributes", 9, FieldType::message, "pair"},
    {"histogram", "flags", 10, FieldType::varint},
    {"exponential", "attributes", 1, FieldType::message, "pair"},
    {"exponential", "timeUnixNano", 3, FieldType::fixed},
    {"summary", "timeUnixNano", 3, FieldType::fixed},
    {"summary", "count", 4, FieldType::fixed},
    {"summary", "sum", 5, FieldType::real},
    {"summary", "quantileValues", 6, FieldType::message, "quantile"},
    {"summary", "attributes", 7, FieldType::message, "pair"},
    {"summary", "flags", 8, FieldType::varint},
    {"quantile", "quantile", 1, FieldType::real},
    {"quantile", "value", 2, FieldType::real},
    {"exemplar", "asDouble", 3, FieldType::real},
    {"pair", "key", 1, FieldType::text},
    {"pair", "value", 2, FieldType::message, "any"},
    {"any", "stringValue", 1, FieldType::text},
    {"any", "boolValue", 2, FieldType::boolean},
    {"any", "intValue", 3, FieldType::varint},
    {"any", "doubleValue", 4, FieldType::real},
    {"any", "arrayValue", 5, FieldType::message, "array"},
    {"any", "kvlistValue", 6, FieldType::message, "map"},
    {"any", "bytesValue", 7, FieldType::base64},
    {"array", "values", 1, FieldType::message, "any"},
    {"map", "values", 1, FieldType::message, "pair"},
};

double real_of(const json::Node& node) {
  using Double = std::numeric_limits<double>;
  if (node.text == "NaN") return Double::quiet_NaN();
  if (node.text == "Infinity") return Double::infinity();
  if (node.text == "-Infinity") return -Double::infinity();
  return json::to_double(node.text).value();
}

// In two's complement.
std::uint64_t whole_of(const json::Node& node) {
  if (const auto number = json::to_long(node.text)) return static_cast<std::uint64_t>(*number);
  return std::stoull(std::string(node.text));
}

void write_message(std::string& to, const json::Node& from, std::string_view message);

void write_field(std::string& to, const json::Node& value, const FieldRule& rule) {
  protozero::pbf_writer writer(to);
  switch (rule.type) {
    case FieldType::text: return writer.add_string(rule.number, value.text.data(), value.text.size());
    case FieldType::base64:
      EXPECT_EQ(value.text, "AAE=");
      return writer.add_bytes(rule.number, std::string("\0\x01", 2));
    case FieldType::boolean: return writer.add_bool(rule.number, value.text == "true");
    case FieldType::varint: return writer.add_uint64(rule.number, whole_of(value));
    case FieldType::fixed: return writer.add_fixed64(rule.number, whole_of(value));
    case FieldType::real: return writer.add_double(rule.number, real_of(value));
    case FieldType::fixed_list: {
      protozero::packed_field_fixed64 list(writer, rule.number);
      for (const auto& item : value.children) list.add_element(whole_of(item));
      return;
    }
    case FieldType::real_list: {
      protozero::packed_field_double list(writer, rule.number);
      for (const auto& item : value.children) list.add_element(real_of(item));
      return;
    }
    case FieldType::message: break;
  }
  std::string bytes;
  write_message(bytes, value, rule.message);
  writer.add_message(rule.number, bytes);
}

// Fields in the order of the members.
void write_message(std::string& to, const json::Node& from, std::string_view message) {
  for (std::size_t i = 0; i < from.names.size(); ++i) {
    bool is_known = false;
    for (const FieldRule& rule : kFieldRules) {
      if (rule.in != message || rule.member != from.names[i]) continue;
      is_known = true;
      const json::Node& value = from.children[i];
      const bool is_list = rule.type == FieldType::message && value.kind == json::Kind::array;
      if (!is_list) write_field(to, value, rule);
      for (std::size_t k = 0; is_list && k < value.children.size(); ++k) write_field(to, value.children[k], rule);
    }
    EXPECT_TRUE(is_known) << message << "." << from.names[i];
  }
}

}  // namespace

std::string metrics_protobuf(std::string_view body) {
  json::Reader reader(body);
  const auto tree = json::read_strict(reader);
  EXPECT_TRUE(tree) << body;
  std::string bytes;
  if (tree) write_message(bytes, *tree, "request");
  return bytes;
}

TEST(OtlpMetricsInProtobuf, HaveTheFieldsOfTheProtocol) {
  EXPECT_EQ(
      metrics_protobuf(
          R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","sum":{"dataPoints":[{"flags":1}],"isMonotonic":true}}]}]}]})"),
      "\x0a\x0f\x12\x0d\x12\x0b\x0a\x01m\x3a\x06\x0a\x02\x40\x01\x18\x01");
}

}  // namespace varve::protocol::otlp::testing
