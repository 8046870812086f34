// SPDX-License-Identifier: Apache-2.0
// Features in the shape that KairosDB's own query builder and Grafana's read.
#include <algorithm>

#include "protocol/json/text.h"
#include "protocol/kairosdb/features.h"

namespace varve::protocol::kairosdb {
namespace {

class Writer {
 public:
  void list(std::span<const Feature* const> features) {
    open('[');
    for (const Feature* feature : features) {
      open('{');
      text("name", feature->name);
      text("label", feature->label);
      text("description", feature->description);
      name("properties");
      properties(feature->properties);
      close('}');
    }
    close(']');
  }
  void group(std::string_view own, std::string_view label, std::span<const Feature* const> features) {
    open('{');
    text("name", own);
    text("label", label);
    name("properties");
    list(features);
    close('}');
  }
  void open(char bracket) {
    separate();
    out_ += bracket;
  }
  void close(char bracket) { out_ += bracket; }
  std::string take() { return std::move(out_); }

 private:
  void separate() {
    if (!out_.empty() && out_.back() != '[' && out_.back() != '{' && out_.back() != ':') out_ += ',';
  }
  void name(std::string_view own) {
    separate();
    json::append_string(out_, own);
    out_ += ':';
  }
  void text(std::string_view own, std::string_view value) {
    name(own);
    json::append_string(out_, value);
  }
  void fact(std::string_view own, bool value) {
    name(own);
    out_ += value ? "true" : "false";
  }

  // One that is made of others has no default, options or checks of its own.
  void properties(const std::vector<Property>& properties_of) {
    open('[');
    for (const Property& property : properties_of) {
      open('{');
      text("name", property.name);
      text("label", property.label);
      if (!property.description.empty()) text("description", property.description);
      fact("optional", false);
      text("type", property.type);
      if (property.parts.empty()) leaf(property);
      fact("multiline", false);
      if (property.parts.empty()) {
        checks(property.checks);
      } else {
        name("properties");
        properties(property.parts);
      }
      close('}');
    }
    close(']');
  }
  void leaf(const Property& property) {
    name("options");
    open('[');
    for (const std::string_view option : property.options) {
      separate();
      json::append_string(out_, option);
    }
    close(']');
    text("defaultValue", property.default_value);
    text("autocomplete", property.autocomplete);
  }
  void checks(const std::vector<Check>& list) {
    name("validations");
    open('[');
    for (const Check& check : list) {
      open('{');
      text("expression", check.expression);
      text("type", "js");
      text("message", check.message);
      close('}');
    }
    close(']');
  }

  std::string out_;
};

std::vector<const Feature*> pointers(std::span<const Feature> features) {
  std::vector<const Feature*> out;
  for (const Feature& feature : features) out.push_back(&feature);
  return out;
}

}  // namespace

std::string features_json() {
  Writer writer;
  writer.open('[');
  writer.group("group_by", "Group By", pointers(group_by_features()));
  auto aggregators = pointers(aggregator_features());
  std::ranges::sort(aggregators, {}, &Feature::label);
  writer.group("aggregators", "Aggregator", aggregators);
  writer.close(']');
  return writer.take();
}

std::optional<std::string> features_json(std::string_view group) {
  Writer writer;
  if (group == "aggregators") {
    writer.list(pointers(aggregator_features()));
  } else if (group == "group_by") {
    writer.list(pointers(group_by_features()));
  } else {
    return std::nullopt;
  }
  return writer.take();
}

}  // namespace varve::protocol::kairosdb
