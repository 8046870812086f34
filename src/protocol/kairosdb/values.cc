// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/values.h"

#include <cmath>
#include <span>
#include <vector>

#include "model/complex.h"
#include "model/histogram.h"
#include "protocol/json/number.h"
#include "protocol/json/number_text.h"
#include "protocol/json/writer.h"

namespace varve::protocol::kairosdb {
namespace {

using json::Element;
using json::Kind;
using model::ValueType;

// A number, or text of one, as Gson has it.
bool take_double(const Element& e, double& out) {
  if (e.kind != Kind::number && e.kind != Kind::string) return false;
  const auto real = json::to_double(e.text);
  if (!real || !std::isfinite(*real)) return false;
  out = *real;
  return true;
}

// Cut, if it has decimals.
bool take_whole(const Element& e, std::int64_t min, std::int64_t max, std::int64_t& out) {
  double real = 0;
  if (!take_double(e, real)) return false;
  const auto whole = json::to_long(e.text);
  if (!whole && !(std::abs(real) < 0x1p63)) return false;
  out = whole ? *whole : static_cast<std::int64_t>(real);
  return out >= min && out <= max;
}

std::string not_a_number_in(std::string_view field) { return "'" + std::string(field) + "' must be a number"; }

// Doubles of an object by name; each must be given.
struct NumberField {
  std::string_view name;
  double* to;
  bool given = false;
};

// Takes the element if it is one of the fields. False: it is, and wrong.
bool take_field(std::span<NumberField> fields, std::string_view name, const Element& e, std::string& wrong) {
  for (NumberField& field : fields) {
    if (field.name != name) continue;
    field.given = take_double(e, *field.to);
    if (!field.given) wrong = not_a_number_in(name);
    return field.given;
  }
  return true;
}

std::string missing(std::span<const NumberField> fields) {
  for (const NumberField& field : fields) {
    if (!field.given) return "'" + std::string(field.name) + "' is missing";
  }
  return {};
}

std::string read_complex(json::Reader& reader, std::string& bytes) {
  model::Complex value;
  NumberField fields[] = {{"real", &value.real}, {"imaginary", &value.imaginary}};
  std::string wrong;
  bool first = true;
  for (std::string_view name; wrong.empty() && reader.next_name(first, name);) {
    const Element e = reader.value();
    reader.skip(e);
    take_field(fields, name, e, wrong);
  }
  if (wrong.empty()) wrong = missing(fields);
  const auto encoded = model::encode(value);
  bytes.assign(encoded.data(), encoded.size());
  return wrong;
}

// The object has just been opened. The bins' keys are doubles as yet: how wide bins are may come later.
struct ReadBin {
  double value;
  std::uint64_t count;
};
std::string read_bins(json::Reader& reader, std::vector<ReadBin>& bins) {
  bins.clear();
  bool first = true;
  for (std::string_view name; reader.next_name(first, name);) {
    const auto value = json::to_double(name);
    if (!value || !std::isfinite(*value)) return "the bin '" + std::string(name) + "' is not a number";
    const Element e = reader.value();
    reader.skip(e);
    std::int64_t count = 0;
    if (!take_whole(e, 0, INT64_MAX, count))
      return "the count of bin '" + std::string(name) + "' must be a number from 0";
    bins.push_back({*value, static_cast<std::uint64_t>(count)});
  }
  return {};
}

std::string read_histogram(json::Reader& reader, std::string& bytes) {
  model::Histogram value;
  NumberField fields[] = {{"min", &value.min}, {"max", &value.max}, {"mean", &value.mean}, {"sum", &value.sum}};
  std::vector<ReadBin> bins;
  bool has_bins = false;
  std::string wrong;
  bool first = true;
  for (std::string_view name; wrong.empty() && reader.next_name(first, name);) {
    const Element e = reader.value();
    if (name == "bins") {
      has_bins = e.kind == Kind::object;
      wrong = has_bins ? read_bins(reader, bins) : "'bins' must be an object";
      continue;
    }
    reader.skip(e);
    if (name == "precision" && e.kind != Kind::null) {
      std::int64_t precision = 0;
      if (!take_whole(e, 0, model::kHistogramPrecisionMax, precision)) wrong = "'precision' must be from 0 to 52";
      value.precision = static_cast<unsigned>(precision);
    } else {
      take_field(fields, name, e, wrong);
    }
  }
  if (wrong.empty() && !has_bins) wrong = "'bins' is missing";
  if (wrong.empty()) wrong = missing(fields);
  if (!wrong.empty()) return wrong;
  for (const ReadBin& bin : bins) value.bins.push_back({model::bin_of(bin.value, value.precision), bin.count});
  model::normalize(value);
  bytes = model::encode(value);
  return {};
}

void append_complex(std::string& out, const model::Complex& value) {
  json::Writer(out).begin_object().member("real", value.real).member("imaginary", value.imaginary).end_object();
}

// A name as KairosDB writes it: of a whole number, with a decimal.
void append_bin(std::string& out, double value) {
  const std::size_t from = out.size();
  json::append_double(out, value);
  if (out.find_first_of(".E", from) == std::string::npos) out += ".0";
}

void append_histogram(std::string& out, const model::Histogram& value) {
  json::Writer json(out);
  json.begin_object().key("bins").begin_object();
  std::string name;
  for (const auto& bin : value.bins) {
    name.clear();
    append_bin(name, model::bin_value(bin.key, value.precision));
    json.member(name, bin.count);
  }
  json.end_object();
  json.member("min", value.min).member("max", value.max).member("mean", value.mean).member("sum", value.sum);
  json.member("precision", value.precision).end_object();
}

}  // namespace

std::optional<ValueType> object_type(std::string_view name) {
  if (name == "complex") return ValueType::complex;
  if (name == "histogram") return ValueType::histogram;
  return std::nullopt;
}

std::string read_object(json::Reader& reader, const Element& e, ValueType type, std::string& bytes) {
  const bool complex = type == ValueType::complex;
  const std::string what = complex ? "is not a complex number: " : "is not a histogram: ";
  if (e.kind != Kind::object) return what + "it must be an object";
  const char* const at = reader.at();
  reader.seek(e.begin + 1);
  const std::string wrong = complex ? read_complex(reader, bytes) : read_histogram(reader, bytes);
  reader.seek(at);
  return wrong.empty() ? wrong : what + wrong;
}

void append_value(std::string& out, ValueType type, std::string_view bytes) {
  if (type == ValueType::string) return json::append_string(out, bytes);
  if (type == ValueType::complex) {
    if (const auto value = model::decode_complex(bytes)) return append_complex(out, *value);
  } else if (const auto value = model::decode_histogram(bytes)) {
    return append_histogram(out, *value);
  }
  out += "null";
}

}  // namespace varve::protocol::kairosdb
