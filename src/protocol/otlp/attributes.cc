// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/attributes.h"

#include <cmath>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/base64.h"
#include "protocol/json/number_text.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::otlp {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto kLength = pbf_wire_type::length_delimited;

}  // namespace

Status AttributeReader::take_one(std::size_t depth) {
  if (depth > kValueDepthMax) {
    return fail(Code::limit, "values are nested more than " + std::to_string(kValueDepthMax) + " deep");
  }
  if (left_ == 0) return fail(Code::limit, "more than " + std::to_string(kValuesMax) + " values");
  --left_;
  return {};
}

// JSON has no word for infinity; OTLP's JSON has texts for it.
void AttributeReader::set_double(double number, Value& to) {
  if (!std::isfinite(number)) {
    to = {Value::Kind::text, std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity", {}, {}};
    return;
  }
  std::string text;
  json::append_double(text, number);
  to = {Value::Kind::number, keep(std::move(text)), {}, {}};
}

Result<Attribute> AttributeReader::attribute(std::string_view protobuf) {
  Attribute attribute;
  VARVE_RETURN_IF_ERROR(read_attribute(protobuf, attribute, 1));
  return attribute;
}

Result<Value> AttributeReader::value(std::string_view protobuf) {
  Value value;
  VARVE_RETURN_IF_ERROR(read_value(protobuf, value, 1));
  return value;
}

Status AttributeReader::read_attribute(std::string_view bytes, Attribute& to, std::size_t depth) try {
  protozero::pbf_reader pair(bytes.data(), bytes.size());
  while (pair.next()) {
    switch (pair.tag_and_type()) {
      case tag_and_type(1, kLength): to.key = protobuf_view(pair.get_view()); break;
      case tag_and_type(2, kLength):
        VARVE_RETURN_IF_ERROR(read_value(protobuf_view(pair.get_view()), to.value, depth));
        break;
      default: pair.skip();
    }
  }
  return {};
} catch (const protozero::exception&) {
  return fail(Code::invalid, "an attribute is not valid protobuf");
}

// AnyValue { string = 1; bool = 2; int64 = 3; double = 4; ArrayValue = 5; KeyValueList = 6; bytes = 7; }, one of them.
Status AttributeReader::read_value(std::string_view bytes, Value& to, std::size_t depth) try {
  VARVE_RETURN_IF_ERROR(take_one(depth));
  protozero::pbf_reader any(bytes.data(), bytes.size());
  while (any.next()) {
    switch (any.tag_and_type()) {
      case tag_and_type(1, kLength): to = {Value::Kind::text, protobuf_view(any.get_view()), {}, {}}; break;
      case tag_and_type(2, pbf_wire_type::varint):
        to = {Value::Kind::boolean, any.get_bool() ? "true" : "false", {}, {}};
        break;
      case tag_and_type(3, pbf_wire_type::varint):
        to = {Value::Kind::number, keep(std::to_string(any.get_int64())), {}, {}};
        break;
      case tag_and_type(4, pbf_wire_type::fixed64): set_double(any.get_double(), to); break;
      case tag_and_type(5, kLength):
        to = {Value::Kind::list, {}, {}, {}};
        VARVE_RETURN_IF_ERROR(read_items(protobuf_view(any.get_view()), to, depth));
        break;
      case tag_and_type(6, kLength):
        to = {Value::Kind::map, {}, {}, {}};
        VARVE_RETURN_IF_ERROR(read_items(protobuf_view(any.get_view()), to, depth));
        break;
      case tag_and_type(7, kLength):
        to = {Value::Kind::text, keep(to_base64(protobuf_view(any.get_view()))), {}, {}};
        break;
      default: any.skip();
    }
  }
  return {};
} catch (const protozero::exception&) {
  return fail(Code::invalid, "a value is not valid protobuf");
}

// ArrayValue { repeated AnyValue values = 1; }, KeyValueList { repeated KeyValue values = 1; }.
Status AttributeReader::read_items(std::string_view bytes, Value& to, std::size_t depth) {
  protozero::pbf_reader list(bytes.data(), bytes.size());
  while (list.next(1, kLength)) {
    const std::string_view item = protobuf_view(list.get_view());
    if (to.kind == Value::Kind::list) {
      VARVE_RETURN_IF_ERROR(read_value(item, to.items.emplace_back(), depth + 1));
      continue;
    }
    VARVE_RETURN_IF_ERROR(take_one(depth));  // also of pairs without a value
    Attribute pair;
    VARVE_RETURN_IF_ERROR(read_attribute(item, pair, depth + 1));
    to.names.push_back(pair.key);
    to.items.push_back(std::move(pair.value));
  }
  return {};
}

}  // namespace varve::protocol::otlp
