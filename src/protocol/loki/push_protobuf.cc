// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <string>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "protocol/loki/push.h"
#include "protocol/loki/stream.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::loki {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto kBytes = pbf_wire_type::length_delimited;

Result<PreciseTime> read_time(protozero::pbf_reader message) {
  constexpr std::int64_t kSecondsMax = std::numeric_limits<std::int64_t>::max() / 1'000'000 - 1;
  constexpr std::int64_t kNanosMax = 999'999'999;
  std::int64_t seconds = 0;
  std::int64_t nanos = 0;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint): seconds = message.get_int64(); break;
      case tag_and_type(2, pbf_wire_type::varint): nanos = message.get_int64(); break;
      default: message.skip();
    }
  }
  if (seconds > kSecondsMax || seconds < -kSecondsMax || nanos < 0 || nanos > kNanosMax) {
    return fail(Code::invalid, "couldn't parse push request: timestamp " + std::to_string(seconds) + "s " +
                                   std::to_string(nanos) + "ns is out of range");
  }
  return PreciseTime{seconds * 1'000'000 + nanos / 1000, static_cast<unsigned>(nanos % 1000)};
}

Label read_label(protozero::pbf_reader message) {
  Label label;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case tag_and_type(1, kBytes): label.name = protobuf_view(message.get_view()); break;
      case tag_and_type(2, kBytes): label.value = protobuf_view(message.get_view()); break;
      default: message.skip();
    }
  }
  return label;
}

class ProtobufPush {
 public:
  ProtobufPush(const messages::Limits& limits, std::size_t body_bytes, message::Batch& batch)
      : stream_(limits, body_bytes, batch) {}

  // Labels may stand behind entries, so they are looked for first.
  Status add_stream(std::string_view bytes) {
    std::string_view text;
    protozero::pbf_reader fields(bytes.data(), bytes.size());
    // Senders write them first; then this is one field.
    if (fields.next(1, kBytes)) text = protobuf_view(fields.get_view());
    labels_.clear();
    undone_.clear();
    VARVE_RETURN_IF_ERROR(read_labels(text.empty() ? "{}" : text, labels_, undone_));
    VARVE_RETURN_IF_ERROR(stream_.open(labels_));
    protozero::pbf_reader entries(bytes.data(), bytes.size());
    while (entries.next(2, kBytes)) VARVE_RETURN_IF_ERROR(add_entry(entries.get_message()));
    return {};
  }

 private:
  Status add_entry(protozero::pbf_reader entry) {
    PreciseTime time;
    std::string_view line;
    metadata_.clear();
    while (entry.next()) {
      switch (entry.tag_and_type()) {
        case tag_and_type(1, kBytes): {
          VARVE_ASSIGN_OR_RETURN(time, read_time(entry.get_message()));
          break;
        }
        case tag_and_type(2, kBytes): line = protobuf_view(entry.get_view()); break;
        case tag_and_type(3, kBytes): metadata_.push_back(read_label(entry.get_message())); break;
        default: entry.skip();
      }
    }
    return stream_.add(time, line, metadata_);
  }

  Stream stream_;
  Labels labels_;
  Labels metadata_;
  std::deque<std::string> undone_;  // of labels_
};

}  // namespace

Status parse_push_protobuf(std::string_view body, const messages::Limits& limits, message::Batch& batch) try {
  ProtobufPush push(limits, body.size(), batch);
  protozero::pbf_reader request(body.data(), body.size());
  while (request.next()) {
    if (request.tag_and_type() == tag_and_type(1, kBytes)) {
      VARVE_RETURN_IF_ERROR(push.add_stream(protobuf_view(request.get_view())));
    } else {
      request.skip();
    }
  }
  return {};
} catch (const protozero::exception&) {
  return fail(Code::invalid, "couldn't parse push request: it is not valid protobuf");
}

}  // namespace varve::protocol::loki
