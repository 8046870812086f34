// SPDX-License-Identifier: Apache-2.0
#include "language/logql/tail_lines.h"

#include "language/logql/pipeline.h"
#include "message/matches.h"
#include "protocol/json/writer.h"

namespace varve::language::logql {
namespace {

using protocol::json::Writer;

constexpr std::size_t kMissedTold = 100;

}  // namespace

bool TailLines::asks_for(message::RowView row) {
  if (!message::matches(condition_, row)) return false;
  labels_.read(row);
  return run_stages(query_, labels_);
}

void TailLines::append(query::Findings& out) {
  labels_.sort();
  std::string labels;
  Writer json(labels);
  json.begin_object();
  for (const auto& label : labels_.all()) json.member(label.name, label.value);
  json.end_object();
  const std::string time = std::to_string(labels_.time_ns());
  if (missed_++ < kMissedTold) {
    out.missed += out.missed.empty() ? R"({"streams":[],"dropped_entries":[)" : ",";
    Writer(out.missed).begin_object().member("timestamp", time).key("labels").raw(labels).end_object();
  }
  std::string& values = streams_[std::move(labels)];
  if (!values.empty()) values += ',';
  Writer(values).begin_array().value(time).value(labels_.line()).end_array();
}

void TailLines::finish(query::Findings& out) {
  if (streams_.empty()) return;
  out.text = "{\"streams\":[";
  for (const auto& [labels, values] : streams_) {
    if (out.text.back() == '}') out.text += ',';
    out.text += "{\"stream\":" + labels + ",\"values\":[" + values + "]}";
  }
  out.text += "],\"dropped_entries\":[]}";
  out.text.shrink_to_fit();  // it may wait for long
  out.missed += "]}";
  streams_.clear();
  missed_ = 0;
}

}  // namespace varve::language::logql
