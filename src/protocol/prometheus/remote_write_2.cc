// SPDX-License-Identifier: Apache-2.0
// Remote write 2.0: its series are those of 1.0 whose texts stand elsewhere. Each is brought into 1.0's form, so that
// a series has one name, whichever way it comes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <protozero/varint.hpp>

#include "protocol/prometheus/remote_write.h"
#include "protocol/prometheus/series_parser.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::prometheus {
namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto kSymbolType = pbf_wire_type::length_delimited;
constexpr std::size_t kPadding = 32;       // behind a series, so that it is read as fast as one in the middle of a body
constexpr std::size_t kLabels2Max = 1000;  // of a series: more than any may have
// All labels of a request, written out. Kubernetes' are a hundred times as long as the references to them.
constexpr std::size_t kLabelBytesTimes = 32, kLabelBytesAtLeast = std::size_t{16} << 20;
constexpr std::size_t kSymbolsMax = 1'000'000;

class Request2 {
 public:
  Request2(std::string_view body, model::GroupSource& groups, model::RowBatch& batch,
           const model::MetadataSink& metadata)
      : body_(body),
        metadata_(metadata),
        parser_({}, groups, batch, outcome_),
        bytes_left_(std::max(kLabelBytesAtLeast, kLabelBytesTimes * body.size())) {}

  Result<Outcome> read() {
    pbf_reader symbols(body_.data(), body_.size());
    while (symbols.next()) {
      if (symbols.tag_and_type() == tag_and_type(4, kSymbolType)) {
        if (symbols_.size() == kSymbolsMax) return fail(Code::too_large, "more than 1000000 symbols in one request");
        symbols_.push_back(protobuf_view(symbols.get_view()));
      } else if (symbols.tag() < 4) {
        return fail(Code::invalid, "the body is a request of remote write 1.0");
      } else {
        symbols.skip();
      }
    }
    if (!symbols_.empty() && !symbols_.front().empty()) {
      return fail(Code::invalid, "the first of the request's symbols is not empty");
    }
    pbf_reader request(body_.data(), body_.size());
    while (request.next(5, kSymbolType)) add(protobuf_view(request.get_view()));
    return std::move(outcome_);
  }

 private:
  void add(std::string_view bytes) try {
    if (parser_.has_given_up()) return parser_.refuse_broken();
    series_.clear();
    refs_.clear();
    samples_.clear();
    metric_ = {};
    bool histograms = false;
    std::string_view metadata;
    pbf_reader from(bytes.data(), bytes.size());
    while (from.next()) {
      switch (from.tag_and_type()) {
        case tag_and_type(1, kSymbolType):
          for (const std::uint32_t ref : from.get_packed_uint32()) add_ref(ref);
          break;
        case tag_and_type(1, pbf_wire_type::varint): add_ref(from.get_uint32()); break;
        case tag_and_type(2, kSymbolType): samples_.push_back(protobuf_view(from.get_view())); break;
        case tag_and_type(5, kSymbolType): metadata = protobuf_view(from.get_view()); break;
        default: histograms = histograms || from.tag() == 3; from.skip();  // 4: exemplars
      }
    }
    if (const Status labels = write_labels(); !labels) return parser_.refuse(labels.error());
    protozero::pbf_writer to(series_);
    for (const std::string_view sample : samples_) to.add_bytes(2, sample.data(), sample.size());
    if (histograms) to.add_bytes(4, "", 0);
    const std::size_t size = series_.size();
    series_.append(kPadding, '\0');
    const std::size_t rejected = outcome_.rejected;
    parser_.add({series_.data(), size}, series_.data() + series_.size());
    if (rejected == outcome_.rejected && !metadata.empty() && metadata_ && !metric_.empty()) tell(metadata);
  } catch (const protozero::exception&) {
    parser_.refuse_broken();
  }

  void add_ref(std::uint32_t ref) {
    if (refs_.size() <= 2 * kLabels2Max) refs_.push_back(ref);  // one more is refused
  }

  // As Label messages.
  Status write_labels() {
    if (refs_.size() % 2 != 0) return fail(Code::invalid, "a label has a name and no value");
    if (refs_.size() > 2 * kLabels2Max) return fail(Code::invalid, "the series has more than 1000 labels");
    for (std::size_t i = 0; i < refs_.size(); i += 2) {
      VARVE_ASSIGN_OR_RETURN(const std::string_view name, symbol(refs_[i]));
      VARVE_ASSIGN_OR_RETURN(const std::string_view value, symbol(refs_[i + 1]));
      const std::size_t bytes = name.size() + value.size();
      if (bytes > bytes_left_) {
        return fail(Code::too_large, "labels of the request, written out, are more than 32 times as long as it");
      }
      bytes_left_ -= bytes;
      if (name == "__name__") metric_ = value;
      append_label(name, value);
    }
    return {};
  }

  // Field 1: Label { name = 1; value = 2; }
  void append_label(std::string_view name, std::string_view value) {
    const auto size_of = [](std::size_t bytes) { return 1 + protozero::length_of_varint(bytes) + bytes; };
    const auto append = [&](char tag, std::size_t bytes) {
      series_ += tag;
      protozero::write_varint(std::back_inserter(series_), bytes);
    };
    append(0x0a, static_cast<std::size_t>(size_of(name.size()) + size_of(value.size())));
    append(0x0a, name.size());
    series_ += name;
    append(0x12, value.size());
    series_ += value;
  }

  Result<std::string_view> symbol(std::uint32_t ref) const {
    if (ref >= symbols_.size()) {
      return fail(Code::invalid,
                  "symbol " + std::to_string(ref) + " is not one of the request's " + std::to_string(symbols_.size()));
    }
    return symbols_[ref];
  }

  // What cannot be read is left out: no sample is lost with it.
  void tell(std::string_view bytes) const try {
    model::MetricMetadata one{.metric = metric_};
    pbf_reader from(bytes.data(), bytes.size());
    while (from.next()) {
      switch (from.tag_and_type()) {
        case tag_and_type(1, pbf_wire_type::varint): one.type = model::metric_type_of(from.get_enum()); break;
        case tag_and_type(3, pbf_wire_type::varint): one.help = symbol(from.get_uint32()).value_or(""); break;
        case tag_and_type(4, pbf_wire_type::varint): one.unit = symbol(from.get_uint32()).value_or(""); break;
        default: from.skip();
      }
    }
    metadata_(one);
  } catch (const protozero::exception&) {
    return;
  }

  const std::string_view body_;
  const model::MetadataSink& metadata_;
  Outcome outcome_;
  SeriesParser parser_;
  std::size_t bytes_left_;  // of labels: a symbol may be in many series
  std::vector<std::string_view> symbols_;

  // The series at work.
  std::vector<std::uint32_t> refs_;
  std::vector<std::string_view> samples_;
  std::string_view metric_;
  std::string series_;  // in 1.0's form
};

}  // namespace

Result<Outcome> parse_write_request_2(std::string_view body, model::GroupSource& groups, model::RowBatch& batch,
                                      const model::MetadataSink& metadata) try {
  return Request2(body, groups, batch, metadata).read();
} catch (const protozero::exception&) {
  return fail(Code::invalid, "the body is not a request of remote write 2.0 (protobuf)");
}

}  // namespace varve::protocol::prometheus
