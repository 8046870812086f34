// SPDX-License-Identifier: Apache-2.0
#include "protocol/prometheus/remote_write.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "protocol/prometheus/series_parser.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::prometheus {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

void read_metadata(std::string_view bytes, const model::MetadataSink& sink) try {
  model::MetricMetadata read;
  protozero::pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint): read.type = model::metric_type_of(message.get_enum()); break;
      case tag_and_type(2, pbf_wire_type::length_delimited): read.metric = protobuf_view(message.get_view()); break;
      case tag_and_type(4, pbf_wire_type::length_delimited): read.help = protobuf_view(message.get_view()); break;
      case tag_and_type(5, pbf_wire_type::length_delimited): read.unit = protobuf_view(message.get_view()); break;
      default: message.skip();
    }
  }
  sink(read);
} catch (const protozero::exception&) {
  return;  // no sample is lost with it
}

}  // namespace

Result<Outcome> parse_write_request(std::string_view body, model::GroupSource& groups, model::RowBatch& batch,
                                    const model::MetadataSink& metadata) try {
  Outcome outcome;
  SeriesParser parser(body, groups, batch, outcome);
  protozero::pbf_reader request(body.data(), body.size());
  while (request.next()) {
    if (request.tag_and_type() == tag_and_type(1, pbf_wire_type::length_delimited)) {
      parser.add(protobuf_view(request.get_view()), body.data() + body.size());
    } else if (metadata && request.tag_and_type() == tag_and_type(3, pbf_wire_type::length_delimited)) {
      read_metadata(protobuf_view(request.get_view()), metadata);
    } else if (request.tag() == 4 || request.tag() == 5) {
      return fail(Code::invalid, "the body is a request of remote write 2.0, and its Content-Type does not say so");
    } else {
      request.skip();
    }
  }
  return outcome;
} catch (const protozero::exception&) {
  return fail(Code::invalid, "the body is not a remote write request (protobuf)");
}

}  // namespace varve::protocol::prometheus
