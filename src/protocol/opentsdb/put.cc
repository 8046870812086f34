// SPDX-License-Identifier: Apache-2.0
#include "protocol/opentsdb/put.h"

#include "protocol/json/writer.h"
#include "protocol/opentsdb/put_point.h"

namespace varve::protocol::opentsdb {
namespace {

using json::Element;
using json::Kind;

class Body {
 public:
  Body(std::string_view body, Targets& targets, TenantTag tenant_tag, Way way)
      : end_(body.data() + body.size()),
        way_(way),
        reader_(body),
        route_(targets, tenant_tag),
        fast_(end_, route_),
        general_(reader_, route_) {}

  PutOutcome parse() {
    reader_.set_strict();
    const Element top = reader_.value();
    if (top.kind == Kind::object) {
      reader_.seek(top.begin);
      if (!point()) general(0, reader_.value());
    } else if (top.kind == Kind::array) {
      array();
    } else {
      reader_.fail("Expected an array or object" + reader_.place());
    }
    if (!reader_.failed() && !reader_.at_end()) reader_.fail("Unexpected text behind the JSON" + reader_.place());
    if (reader_.failed()) outcome_.malformed = reader_.error();
    return std::move(outcome_);
  }

 private:
  // Tries the fast way where the reader stands.
  bool point() {
    const char* at = json::skip_space(reader_.at(), end_);
    if (way_ != Way::fast || at >= end_ || *at != '{') return false;
    const char* behind = fast_.read(at);
    if (behind == nullptr) return false;
    reader_.seek(behind);
    ++outcome_.success;
    return true;
  }

  void general(std::size_t index, const Element& e) {
    Status status;
    if (e.kind == Kind::object) {
      status = general_.read();
    } else {
      reader_.skip(e);
      status = fail(Code::invalid, "not an object");
    }
    if (reader_.failed()) return;
    if (status) {
      ++outcome_.success;
      return;
    }
    ++outcome_.failed;
    if (status.error().code == Code::too_old) {
      ++outcome_.too_old;
    } else if (status.error().code != Code::invalid) {
      outcome_.code = status.error().code;
    }
    if (outcome_.errors.size() == kPutErrorsMax) return;
    const std::string_view datapoint(e.begin, static_cast<std::size_t>(reader_.at() - e.begin));
    outcome_.errors.push_back({index, std::move(status.error().message), datapoint});
  }

  void array() {
    bool first = true;
    for (std::size_t index = 0; !reader_.failed(); ++index) {
      const char* at = json::skip_space(reader_.at(), end_);
      // Between points the fast way reads the comma itself; whatever is not a plain point goes to the reader as it was.
      const char* const back = reader_.at();
      const bool comma = !first && at < end_ && *at == ',';
      if (first || comma) {
        reader_.seek(at + (comma ? 1 : 0));
        if (point()) {
          first = false;
          continue;
        }
        reader_.seek(back);
      }
      Element e;
      if (!reader_.next_item(first, e)) return;
      general(index, e);
    }
  }

  const char* end_;
  Way way_;
  PutOutcome outcome_;
  json::Reader reader_;
  Route route_;
  FastPoints fast_;
  PointReader general_;
};

}  // namespace

PutOutcome parse_put(std::string_view body, Targets& targets, TenantTag tenant_tag, Way way) {
  return Body(body, targets, tenant_tag, way).parse();
}

std::string render_put(const PutOutcome& outcome, bool details) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("success", outcome.success).member("failed", outcome.failed);
  if (details) {
    json.key("errors").begin_array();
    for (const auto& error : outcome.errors) {
      json.begin_object().key("datapoint");
      if (json::is_utf8(error.datapoint)) {
        json.raw(error.datapoint);
      } else {
        json.value(error.datapoint);
      }
      json.member("error", error.reason).end_object();
    }
    json.end_array();
  }
  json.end_object();
  return out;
}

std::string render_put_error(int status, std::string_view message, std::string_view details) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("error").begin_object();
  json.member("code", status).member("message", message).member("details", details);
  json.end_object().end_object();
  return out;
}

}  // namespace varve::protocol::opentsdb
