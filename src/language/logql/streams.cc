// SPDX-License-Identifier: Apache-2.0
#include "language/logql/streams.h"

#include <algorithm>
#include <utility>

#include "language/logql/condition.h"
#include "language/logql/pipeline.h"
#include "protocol/json/writer.h"

namespace varve::language::logql {
namespace {

using protocol::json::Writer;

void write_labels(Writer& json, const std::vector<Label>& labels) {
  json.begin_object();
  for (const Label& label : labels) json.member(label.name, label.value);
  json.end_object();
}

// {"structuredMetadata":{…},"parsed":{…}}
void write_besides(Writer& json, const std::vector<Label>& labels) {
  json.begin_object();
  for (const auto& [name, origin] :
       {std::pair("structuredMetadata", Label::Origin::metadata), std::pair("parsed", Label::Origin::parsed)}) {
    if (std::ranges::find(labels, origin, &Label::origin) == labels.end()) continue;
    json.key(name).begin_object();
    for (const Label& label : labels) {
      if (label.origin == origin) json.member(label.name, label.value);
    }
    json.end_object();
  }
  json.end_object();
}

class Streams {
 public:
  Streams(bool categorized, const Source& source) : categorized_(categorized), source_(source) {}

  Status add(Labels& labels) {
    labels.sort();
    const auto of_stream = categorized_ ? stream_labels(labels) : labels.all();
    key_.clear();
    append_labels(key_, of_stream);
    const auto [found, is_new] = json_.try_emplace(key_);
    std::string& text = found->second;
    const std::size_t before = is_new ? 0 : text.capacity();
    if (is_new) {
      text = "{\"stream\":";
      Writer json(text);
      write_labels(json, of_stream);
      text += ",\"values\":[";
    } else {
      text += ',';
    }
    Writer json(text);
    json.begin_array().value(std::to_string(labels.time_ns())).value(labels.line());
    if (categorized_) write_besides(json, labels.all());
    json.end_array();
    return source_.hold(text.capacity() - before + (is_new ? sizeof *found + key_.size() : 0));
  }

  std::string take() {
    std::vector<std::pair<std::string, std::string>> sorted;
    while (!json_.empty()) {
      auto node = json_.extract(json_.begin());
      sorted.emplace_back(std::move(node.key()), std::move(node.mapped()));
    }
    std::ranges::sort(sorted);
    std::string out = "[";
    for (const auto& [key, text] : sorted) {
      if (out.size() > 1) out += ',';
      out += text;
      out += "]}";
    }
    out += ']';
    return out;
  }

 private:
  const bool categorized_;
  const Source& source_;
  std::string key_;
  std::unordered_map<std::string, std::string> json_;  // by labels; without its end
};

}  // namespace

std::vector<Label> stream_labels(const Labels& labels) {
  std::vector<Label> out;
  for (const Label& label : labels.all()) {
    if (label.origin == Label::Origin::stream) out.push_back(label);
  }
  std::ranges::sort(out, {}, &Label::name);
  return out;
}

Result<std::string> find_streams(const LogQuery& query, const LogRange& range, const Source& source) {
  VARVE_ASSIGN_OR_RETURN(const auto condition, condition_of(query, source));
  Streams streams(range.categorized, source);
  Labels labels;
  std::uint64_t found = 0;
  if (range.limit == 0) return "[]";
  VARVE_RETURN_IF_ERROR(
      source.find(range.span, condition, range.newest_first, [&](message::RowView row) -> Result<bool> {
        labels.read(row);
        if (!run_stages(query, labels)) return true;
        VARVE_RETURN_IF_ERROR(streams.add(labels));
        return ++found < range.limit;
      }));
  return streams.take();
}

}  // namespace varve::language::logql
