// SPDX-License-Identifier: Apache-2.0
#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/hex.h"
#include "protocol/otlp/logs.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::otlp {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto kMessage = pbf_wire_type::length_delimited;

// Of trace_id and span_id; one of zeros is none.
std::string hex_of(std::string_view bytes) {
  if (bytes.find_first_not_of('\0') == std::string_view::npos) return {};
  std::string out;
  append_hex(out, bytes);
  return out;
}

class ProtobufLogs {
 public:
  ProtobufLogs(const LogOptions& options, std::size_t body_bytes, message::Batch& batch)
      : records_(options, body_bytes, batch) {}

  Outcome read(std::string_view body) {
    pbf_reader request(body.data(), body.size());
    while (request.next(1, kMessage)) read_resource_logs(request.get_message());
    return records_.take_outcome();
  }

 private:
  // The resource may stand behind what it is of, so it is looked for first; with senders it is the first field.
  void read_resource_logs(const pbf_reader& logs) {
    Fields& fields = records_.start_resource();
    if (pbf_reader first = logs; first.next(1, kMessage)) {
      pbf_reader resource = first.get_message();
      while (resource.next(1, kMessage)) {
        if (const Status status = fields.add(protobuf_view(resource.get_view())); !status) {
          records_.set_resource_error(status);
          break;
        }
      }
    }
    pbf_reader scopes = logs;
    while (scopes.next(2, kMessage)) read_scope_logs(scopes.get_message());
  }

  void read_scope_logs(const pbf_reader& logs) {
    Fields& fields = records_.start_scope();
    if (pbf_reader first = logs; first.next(1, kMessage)) {
      if (const Status status = read_scope(first.get_message(), fields); !status) records_.set_scope_error(status);
    }
    pbf_reader records = logs;
    while (records.next(2, kMessage)) read_record(records.get_message());
  }

  static Status read_scope(pbf_reader scope, Fields& fields) {
    const auto text = [&](std::string_view name, protozero::data_view value) {
      return value.size() == 0 ? Status{} : fields.add(name, message::FieldForm::text, protobuf_view(value));
    };
    while (scope.next()) {
      switch (scope.tag_and_type()) {
        case tag_and_type(1, kMessage): VARVE_RETURN_IF_ERROR(text("scope.name", scope.get_view())); break;
        case tag_and_type(2, kMessage): VARVE_RETURN_IF_ERROR(text("scope.version", scope.get_view())); break;
        case tag_and_type(3, kMessage): VARVE_RETURN_IF_ERROR(fields.add(protobuf_view(scope.get_view()))); break;
        default: scope.skip();
      }
    }
    return {};
  }

  void read_record(pbf_reader from) {
    Record record;
    Fields& fields = records_.start_record();
    Status status;
    while (from.next()) {
      if (!read_field(from, record, fields, status)) from.skip();
    }
    records_.add(record, status);
  }

  static bool read_field(pbf_reader& from, Record& record, Fields& fields, Status& status) {
    const auto note = [&](const Status& got) {
      if (status && !got) status = got;
    };
    switch (from.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::fixed64): record.time_ns = from.get_fixed64(); return true;
      case tag_and_type(2, pbf_wire_type::varint): record.severity = from.get_int32(); return true;
      case tag_and_type(3, kMessage): record.severity_text = protobuf_view(from.get_view()); return true;
      case tag_and_type(5, kMessage): {
        auto body = fields.reader().value(protobuf_view(from.get_view()));
        if (body) record.body = std::move(*body);
        note(body ? Status{} : fail(body.error()));
        return true;
      }
      case tag_and_type(6, kMessage): note(fields.add(protobuf_view(from.get_view()))); return true;
      case tag_and_type(7, pbf_wire_type::varint): record.dropped_attributes = from.get_uint32(); return true;
      case tag_and_type(8, pbf_wire_type::fixed32): record.flags = from.get_fixed32(); return true;
      case tag_and_type(9, kMessage):
        record.trace_id = fields.keep(hex_of(protobuf_view(from.get_view())));
        return true;
      case tag_and_type(10, kMessage):
        record.span_id = fields.keep(hex_of(protobuf_view(from.get_view())));
        return true;
      case tag_and_type(11, pbf_wire_type::fixed64): record.observed_ns = from.get_fixed64(); return true;
      case tag_and_type(12, kMessage): record.event_name = protobuf_view(from.get_view()); return true;
      default: return false;
    }
  }

  Records records_;
};

}  // namespace

Result<Outcome> parse_logs_protobuf(std::string_view body, const LogOptions& options, message::Batch& batch) try {
  return ProtobufLogs(options, body.size(), batch).read(body);
} catch (const protozero::exception&) {
  return fail(Code::invalid, "the body is not an ExportLogsServiceRequest in protobuf");
}

}  // namespace varve::protocol::otlp
