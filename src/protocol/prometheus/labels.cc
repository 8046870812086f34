// SPDX-License-Identifier: Apache-2.0
#include "protocol/prometheus/labels.h"

#include <string>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "protocol/json/text.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::prometheus {
namespace {

model::TagView read_label(protozero::pbf_reader label) {
  model::TagView tag;
  while (label.next()) {
    switch (label.tag_and_type()) {
      case protozero::tag_and_type(1, protozero::pbf_wire_type::length_delimited):
        tag.key = protobuf_view(label.get_view());
        break;
      case protozero::tag_and_type(2, protozero::pbf_wire_type::length_delimited):
        tag.value = protobuf_view(label.get_view());
        break;
      default: label.skip();
    }
  }
  return tag;
}

}  // namespace

Status read_labels(std::string_view raw, Labels& labels) try {
  labels.metric = {};
  labels.tags.clear();
  protozero::pbf_reader series(raw.data(), raw.size());
  while (series.next(1, protozero::pbf_wire_type::length_delimited)) {
    const model::TagView label = read_label(series.get_message());
    if (label.key.empty()) return fail(Code::invalid, "a label has an empty name");
    if (!json::is_utf8(label.key) || !json::is_utf8(label.value)) return fail(Code::invalid, "a label is not UTF-8");
    if (label.key == "__name__") {
      if (!labels.metric.empty()) return fail(Code::invalid, "label '__name__' stands twice");
      labels.metric = label.value;
    } else if (!label.value.empty()) {
      labels.tags.push_back(label);
    }
  }
  if (labels.metric.empty()) return fail(Code::invalid, "the series has no label '__name__'");
  return model::normalize(labels.tags);
} catch (const protozero::exception&) {
  return fail(Code::invalid, "a label is not valid protobuf");
}

}  // namespace varve::protocol::prometheus
