// SPDX-License-Identifier: Apache-2.0
#include "protocol/kairosdb/datapoints.h"

#include "protocol/group_cursor.h"
#include "protocol/json/reader.h"
#include "protocol/json/writer.h"
#include "protocol/kairosdb/datapoints_fast.h"
#include "protocol/kairosdb/datapoints_metric.h"

namespace varve::protocol::kairosdb {
namespace {

constexpr std::string_view kEnd = "Invalid json. No content due to end of input.";
const std::string kNotStrict = "Use JsonReader.setLenient(true) to accept malformed JSON";

class Body {
 public:
  Body(std::string_view body, model::GroupSource& groups, model::RowBatch& batch, Way way, NewGroups new_groups)
      : body_(body),
        end_(body.data() + body.size()),
        way_(way),
        reader_(body),
        fast_(end_, groups, batch, cursor_),
        metric_(reader_, groups, batch, cursor_, new_groups, rejection_) {}

  Rejection parse() {
    if (body_.empty()) return at_end();
    const char* at = start();
    if (at == end_) return at_end();
    if (*at == '{') {
      metric(at, 0);
    } else if (*at == '[') {
      array(at + 1);
    } else {
      // Only an object or array may be a document; a quote has been read when that is seen.
      const bool quote = *at == '"' || *at == '\'';
      const bool nothing = *at == ',' || *at == ';' || *at == ']';
      reader_.seek(quote || nothing ? at + 1 : at);
      reader_.fail((nothing ? "Unexpected value" : kNotStrict) + reader_.place());
    }
    // What is no JSON is not a list of metrics, whatever is wrong with some of them.
    if (reader_.failed()) rejection_.errors = {reader_.error()};
    return std::move(rejection_);
  }
  [[nodiscard]] bool met_new_groups() const { return metric_.met_new_groups(); }

 private:
  Rejection at_end() {
    rejection_.errors.emplace_back(kEnd);
    return std::move(rejection_);
  }

  // Behind a byte order mark and white space.
  [[nodiscard]] const char* start() const {
    return json::skip_space(body_.data() + (body_.starts_with("\xef\xbb\xbf") ? 3 : 0), end_);
  }

  // Between metrics the JSON is strict, as in KairosDB. What follows the array is not looked at.
  void array(const char* at) {
    for (std::size_t index = 0; rejection_.code == Code::invalid && rejection_.errors.size() < kErrorsMax; ++index) {
      at = json::skip_space(at, end_);
      if (index > 0 && at < end_ && *at != ']') {
        if (*at != ',') {
          return fail_behind(at, *at == ';' || *at == '#' || *at == '/' ? kNotStrict : "Unterminated array");
        }
        at = json::skip_space(at + 1, end_);
        if (at < end_ && *at == ']') return fail_behind(at, kNotStrict);
      }
      if (at < end_ && (*at == ',' || *at == ';')) return fail_behind(at, kNotStrict);
      if (at >= end_) {
        rejection_.errors.emplace_back(kEnd);
        return;
      }
      if (*at == ']') return;
      at = metric(at, index);
      if (at == nullptr) return;
    }
  }

  void fail_behind(const char* at, const std::string& what) {
    reader_.seek(at + 1);
    reader_.fail(what + reader_.place());
  }

  // Returns its end, or nullptr after a failure of the reader.
  const char* metric(const char* at, std::size_t index) {
    if (way_ == Way::fast && *at == '{') {
      if (const char* end = fast_.read(at); end != nullptr) return end;
    }
    reader_.seek(at);
    const json::Element e = reader_.value();
    if (reader_.failed()) return nullptr;
    reader_.set_lenient(true);
    if (e.kind != json::Kind::object) {
      reader_.fail_state("BEGIN_OBJECT", e);
    } else {
      metric_.read(index);
    }
    reader_.set_lenient(false);
    return reader_.failed() ? nullptr : reader_.at();
  }

  std::string_view body_;
  const char* end_;
  Way way_;
  Rejection rejection_;
  GroupCursor cursor_;
  json::Reader reader_;
  FastMetrics fast_;
  MetricReader metric_;
};

}  // namespace

Rejection parse_datapoints(std::string_view body, model::GroupSource& groups, model::RowBatch& batch, Way way) {
  const auto mark = batch.mark();
  Body checked(body, groups, batch, way, NewGroups::check);
  Rejection rejection = checked.parse();
  if (!rejection.none() || !checked.met_new_groups()) return rejection;
  // All of it is good, so what is new in it may be defined: a body that is refused leaves no names behind.
  batch.rollback(mark);
  return Body(body, groups, batch, way, NewGroups::define).parse();
}

std::string render_errors(std::span<const std::string> errors) {
  std::string out;
  json::Writer(out).begin_object().key("errors").array(errors).end_object();
  return out;
}

}  // namespace varve::protocol::kairosdb
