// SPDX-License-Identifier: Apache-2.0
#include "protocol/prometheus/remote_read.h"

#include <iterator>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

#include "base/check.h"
#include "protocol/json/text.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::prometheus {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

Result<std::string_view> read_text(pbf_reader& from) {
  const std::string_view text = protobuf_view(from.get_view());
  if (!json::is_utf8(text)) return fail(Code::invalid, "a matcher is not UTF-8");
  return text;
}

Result<ReadMatcher> read_matcher(pbf_reader from) {
  ReadMatcher out;
  while (from.next()) {
    switch (from.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint): {
        const std::int32_t op = from.get_enum();
        if (op < 0 || op > 3)
          return fail(Code::invalid, "a matcher has an operator that is none: " + std::to_string(op));
        out.op = static_cast<ReadMatcher::Op>(op);
        break;
      }
      case tag_and_type(2, pbf_wire_type::length_delimited): {
        VARVE_ASSIGN_OR_RETURN(out.name, read_text(from));
        break;
      }
      case tag_and_type(3, pbf_wire_type::length_delimited): {
        VARVE_ASSIGN_OR_RETURN(out.value, read_text(from));
        break;
      }
      default: from.skip();
    }
  }
  return out;
}

Result<ReadQuery> read_query(pbf_reader from) {
  ReadQuery out;
  while (from.next()) {
    switch (from.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::varint): out.first_ms = from.get_int64(); break;
      case tag_and_type(2, pbf_wire_type::varint): out.last_ms = from.get_int64(); break;
      case tag_and_type(3, pbf_wire_type::length_delimited): {
        if (out.matchers.size() == kReadMatchersMax) return fail(Code::invalid, "more than 100 matchers in one query");
        VARVE_ASSIGN_OR_RETURN(const ReadMatcher matcher, read_matcher(from.get_message()));
        out.matchers.push_back(matcher);
        break;
      }
      default: from.skip();
    }
  }
  return out;
}

}  // namespace

Result<std::vector<ReadQuery>> parse_read_request(std::string_view body) try {
  std::vector<ReadQuery> out;
  pbf_reader request(body.data(), body.size());
  while (request.next()) {
    if (request.tag_and_type() != tag_and_type(1, pbf_wire_type::length_delimited)) {
      request.skip();
      continue;
    }
    if (out.size() == kReadQueriesMax) return fail(Code::invalid, "more than 100 queries in one request");
    VARVE_ASSIGN_OR_RETURN(ReadQuery query, read_query(request.get_message()));
    out.push_back(std::move(query));
  }
  return out;
} catch (const protozero::exception&) {
  return fail(Code::invalid, "the body is not a remote read request (protobuf)");
}

std::string read_series(const model::Tags& labels, std::span<const std::int64_t> times,
                        std::span<const double> values) {
  check(times.size() == values.size(), "a value of each time");
  constexpr std::size_t kSampleBytes = 18;
  std::string out, part;
  out.reserve(times.size() * kSampleBytes);
  protozero::pbf_writer to(out);
  for (const auto& [name, value] : labels) {
    part.clear();
    protozero::pbf_writer label(part);
    label.add_string(1, name);
    label.add_string(2, value);
    to.add_message(1, part);
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    part.clear();
    protozero::pbf_writer sample(part);
    sample.add_double(1, values[i]);
    sample.add_int64(2, times[i]);
    to.add_message(2, part);
  }
  return out;
}

void append_read_result(std::string& response, std::span<const std::string> series) {
  constexpr char kField1 = 0x0a;
  const auto append = [&](std::size_t bytes) {
    response += kField1;
    protozero::write_varint(std::back_inserter(response), bytes);
  };
  std::size_t all = 0;
  for (const std::string& one : series) {
    all += 1 + static_cast<std::size_t>(protozero::length_of_varint(one.size())) + one.size();
  }
  append(all);  // also where it is 0: results stand for queries in order
  for (const std::string& one : series) {
    append(one.size());
    response += one;
  }
}

}  // namespace varve::protocol::prometheus
