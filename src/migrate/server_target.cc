// SPDX-License-Identifier: Apache-2.0
#include "migrate/server_target.h"

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "migrate/server_batch.h"
#include "protocol/json/tree.h"
#include "protocol/json/writer.h"

namespace varve::migrate {
namespace {

constexpr std::size_t kRequestSamples = 20'000;
constexpr std::size_t kRequestBytes = std::size_t{1} << 20;
constexpr std::string_view kPut = "/api/v1/datapoints", kQuery = "/api/v1/datapoints/query";

using protocol::json::Node;

// The texts of {"errors":[…]}; empty: it is something else.
std::vector<std::string> errors_of(const std::string& body) {
  protocol::json::Reader reader(body);
  const auto root = protocol::json::read_tree(reader);
  const Node* const errors = root ? root->find("errors") : nullptr;
  std::vector<std::string> out;
  if (errors == nullptr) return out;
  for (const Node& one : errors->children) out.emplace_back(one.text);
  return out;
}

class ServerSink final : public Sink {
 public:
  ServerSink(const ServerCall& call, const std::atomic<bool>& stopping, const Refused& refused)
      : call_(call), stopping_(stopping), refused_(refused) {}

  Status begin(const SourceSeries& series) override {
    auto views = model::to_views(series.tags);
    VARVE_RETURN_IF_ERROR(model::normalize(views));
    batch_.begin(series);
    return {};
  }

  Result<model::Timestamp> kept_from() override { return model::kTimestampMin; }  // the server says what is too old

  [[nodiscard]] std::string_view why_not(const model::Value& value) const override {
    const bool is_number = value.type != model::ValueType::double_ || std::isfinite(value.as_double());
    return is_number ? "" : "JSON has no NaN and no infinity: without --to it is copied";
  }

  Status add(model::Timestamp time, const model::Value& value) override {
    batch_.add(time, value);
    return batch_.samples() >= kRequestSamples || batch_.bytes() >= kRequestBytes ? flush() : Status();
  }

  // The server takes all of a request or nothing, and names up to a thousand samples that it does not take.
  Status flush() override {
    while (batch_.samples() > 0) {
      VARVE_ASSIGN_OR_RETURN(const ServerAnswer answer, ask_server(call_, "POST", kPut, batch_.body(), stopping_));
      if (answer.is_good()) break;
      if (answer.status != 400 || !batch_.take_out(errors_of(answer.body), refused_))
        return fail(unexpected("POST", kPut, answer));
    }
    batch_.clear();
    return {};
  }

 private:
  const ServerCall& call_;
  const std::atomic<bool>& stopping_;
  const Refused& refused_;
  ServerBatch batch_;
};

// One window over all of it, whose point stands where its first sample does: a window may begin before the first time
// that there is.
std::string count_query(std::string_view metric, model::TimeRange range) {
  std::string out;
  protocol::json::Writer json(out);
  json.begin_object().member("start_absolute", range.first).member("end_absolute", range.last - 1).key("metrics");
  json.begin_array().begin_object().member("name", metric).key("aggregators").begin_array().begin_object();
  json.member("name", "count").key("sampling");
  json.begin_object().member("value", 1'000'000).member("unit", "years").end_object();
  json.end_object().end_array().end_object().end_array().end_object();
  return out;
}

// The samples behind the answer, those too that rollups speak for. (The count itself is of the entries, where samples
// are histograms.)
Result<std::uint64_t> samples_of(const ServerAnswer& answer) {
  protocol::json::Reader reader(answer.body);
  const auto root = protocol::json::read_tree(reader);
  const Node* const queries = root && answer.status == 200 ? root->find("queries") : nullptr;
  const Node* const size =
      queries != nullptr && queries->children.size() == 1 ? queries->children[0].find("sample_size") : nullptr;
  std::uint64_t samples = 0;
  if (size == nullptr ||
      std::from_chars(size->text.data(), size->text.data() + size->text.size(), samples).ec != std::errc())
    return fail(unexpected("POST", kQuery, answer));
  return samples;
}

}  // namespace

std::unique_ptr<Sink> ServerTarget::sink(const std::atomic<bool>& stopping, const Refused& refused) {
  return std::make_unique<ServerSink>(call_, stopping, refused);
}

Result<std::uint64_t> ServerTarget::held(std::string_view metric, model::TimeRange range,
                                         const std::atomic<bool>& stopping) {
  VARVE_ASSIGN_OR_RETURN(const ServerAnswer answer,
                         ask_server(call_, "POST", kQuery, count_query(metric, range), stopping));
  return samples_of(answer);
}

}  // namespace varve::migrate
