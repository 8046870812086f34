// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/metric_labels.h"

#include <algorithm>
#include <array>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "protocol/json/reader.h"
#include "protocol/json/text.h"
#include "protocol/json/tree.h"
#include "protocol/otlp/label_text.h"
#include "protocol/outcome.h"
#include "protocol/protobuf_view.h"

namespace varve::protocol::otlp {
namespace {

// What job and instance are made of.
constexpr std::string_view kServiceName = "service.name";
constexpr std::string_view kServiceNamespace = "service.namespace";
constexpr std::string_view kServiceInstance = "service.instance.id";
constexpr std::array kIdentifying = {kServiceName, kServiceNamespace, kServiceInstance};

constexpr std::string_view kNameLabel = "__name__";  // is the metric's name alone

Status broken_attributes() { return fail(Code::invalid, "an attribute is not valid protobuf"); }

}  // namespace

void MetricLabels::start_resource(RawAttributes attributes) {
  resource_ = attributes;
  is_read_ = false;
}

Status MetricLabels::read_attributes(RawAttributes attributes, Texts& to) {
  to.clear();
  made_.clear();
  reader_.start();
  Status read = attributes.starts_with('[') ? read_json(attributes, to) : read_protobuf(attributes, to);
  // What is beyond a limit once is so always: nobody need send it again.
  if (!read && read.error().code == Code::limit) read.error().code = Code::invalid;
  return read;
}

Status MetricLabels::read_protobuf(std::string_view attributes, Texts& to) try {
  if (broken_ >= kBrokenMax) return broken_attributes();
  protozero::pbf_reader fields(attributes.data(), attributes.size());
  while (fields.next()) {
    VARVE_ASSIGN_OR_RETURN(const Attribute attribute, reader_.attribute(protobuf_view(fields.get_view())));
    VARVE_RETURN_IF_ERROR(add(attribute, to));
  }
  return {};
} catch (const protozero::exception&) {
  ++broken_;
  return broken_attributes();
}

Status MetricLabels::read_json(std::string_view attributes, Texts& to) {
  json::Reader reader(attributes);
  reader.set_strict();
  reader.keep_cut_texts();
  const auto list = json::read_node(reader, reader.value());
  if (!list) return fail(list.error().code, "attributes cannot be read: " + list.error().message);
  for (const json::Node& node : list->children) {
    VARVE_ASSIGN_OR_RETURN(const Attribute attribute, reader_.attribute(node));
    VARVE_RETURN_IF_ERROR(add(attribute, to));
  }
  return {};
}

// Of attributes that come twice both count, as of two that become one label.
Status MetricLabels::add(const Attribute& attribute, Texts& to) {
  std::string text = label_text(attribute.value);
  if (!json::is_utf8(attribute.key) || !json::is_utf8(text)) return fail(Code::invalid, "an attribute is not UTF-8");
  const auto [at, is_new] = to.try_emplace(std::string(attribute.key), text);
  if (!is_new) at->second.append(";").append(text);
  return {};
}

// In the order of the attributes' names, so that labels that become one are always joined alike.
Status MetricLabels::translate(const Texts& attributes) {
  labels_.clear();
  for (const auto& [key, text] : attributes) {
    VARVE_ASSIGN_OR_RETURN(std::string name, label_name(key, naming_.translation));
    if (name == kNameLabel) continue;
    std::string& label = labels_[std::move(name)];
    if (!label.empty()) label += ';';  // in place: very many may become one
    label += text;
  }
  return {};
}

Status MetricLabels::read_resource() {
  if (std::exchange(is_read_, true)) return resource_error_;
  of_resource_.clear();
  promoted_.clear();
  resource_error_ = read_attributes(resource_, resource_texts_);
  VARVE_RETURN_IF_ERROR(resource_error_);
  const auto text_of = [&](std::string_view name) -> const std::string* {
    const auto at = resource_texts_.find(name);
    return at == resource_texts_.end() ? nullptr : &at->second;
  };
  if (const std::string* service = text_of(kServiceName)) {
    const std::string* space = text_of(kServiceNamespace);
    of_resource_.emplace_back("job", space == nullptr ? *service : *space + "/" + *service);
  }
  if (const std::string* instance = text_of(kServiceInstance)) of_resource_.emplace_back("instance", *instance);
  for (const auto& [name, text] : resource_texts_) {
    if (std::ranges::find(naming_.promoted, name) == naming_.promoted.end()) continue;
    auto label = label_name(name, naming_.translation);
    if (label && *label != kNameLabel) promoted_.emplace_back(std::move(*label), text);
  }
  return {};
}

// A point's own attribute is stronger than a promoted one, and what the resource is stronger than both.
void MetricLabels::add_promoted() {
  for (const auto& [name, text] : promoted_) {
    if (std::string& label = labels_[name]; label.empty()) label = text;
  }
}

void MetricLabels::add_of_resource() {
  for (const auto& [name, text] : of_resource_) labels_.insert_or_assign(name, text);
}

// A label with an empty value counts as absent.
model::TagViews MetricLabels::views() const {
  model::TagViews tags;
  for (const auto& [name, text] : labels_) {
    if (!text.empty()) tags.push_back({name, text});
  }
  return tags;
}

Result<model::TagViews> MetricLabels::of_point(RawAttributes attributes, const model::TagView& own) {
  VARVE_RETURN_IF_ERROR(read_resource());
  VARVE_RETURN_IF_ERROR(read_attributes(attributes, texts_));
  VARVE_RETURN_IF_ERROR(translate(texts_));
  add_promoted();
  add_of_resource();
  if (!own.key.empty()) labels_.insert_or_assign(std::string(own.key), std::string(own.value));
  return views();
}

Result<model::TagViews> MetricLabels::of_target() {
  VARVE_RETURN_IF_ERROR(read_resource());
  Texts others = resource_texts_;
  for (const std::string_view name : kIdentifying) {
    if (const auto at = others.find(name); at != others.end()) others.erase(at);
  }
  if (others.empty()) return model::TagViews();
  VARVE_RETURN_IF_ERROR(translate(others));
  add_of_resource();
  model::TagViews tags = views();
  const bool is_named =
      std::ranges::any_of(tags, [](const auto& tag) { return tag.key == "job" || tag.key == "instance"; });
  return is_named ? tags : model::TagViews();
}

}  // namespace varve::protocol::otlp
