// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/fields.h"

#include "protocol/messages/shared_bytes.h"

namespace varve::protocol::otlp {

using message::FieldForm;

void Fields::clear() {
  made_.clear();
  reader_.start();
  list_.clear();
  bytes_ = 0;
}

Status Fields::add(std::string_view name, FieldForm form, std::string_view text) {
  bytes_ += name.size() + text.size();
  if (bytes_ > messages::kFieldsBytesMax) {
    return fail(Code::too_large, "attributes have more than " + std::to_string(messages::kFieldsBytesMax) + " bytes");
  }
  // Of names that come twice as many again may be there.
  if (list_.size() == 2 * message::kFieldsMax) {
    return fail(Code::limit, "more than " + std::to_string(message::kFieldsMax) + " fields");
  }
  list_.push_back({name, form, text});
  return {};
}

Status Fields::add(const Attribute& attribute) {
  if (attribute.value.kind != Value::Kind::map) return add_value(attribute.key, attribute.value);
  path_ = attribute.key;
  return add_map(attribute.value);
}

Status Fields::add_value(std::string_view name, const Value& value) {
  switch (value.kind) {
    case Value::Kind::none: return {};
    case Value::Kind::text: return add(name, FieldForm::text, value.text);
    case Value::Kind::boolean: return add(name, FieldForm::json, value.text);
    case Value::Kind::number: return add(name, FieldForm::number, value.text);
    default: break;
  }
  std::string text;
  append_json(text, value);
  return add(name, FieldForm::json, keep(std::move(text)));
}

Status Fields::add_map(const Value& map) {
  if (path_.size() > message::kNameBytesMax) return add(keep(path_), FieldForm::text, {});  // the builder refuses it
  path_ += '.';
  const std::size_t outer = path_.size();
  for (std::size_t i = 0; i < map.items.size(); ++i) {
    path_.resize(outer);
    path_ += map.names[i];
    const Value& item = map.items[i];
    VARVE_RETURN_IF_ERROR(item.kind == Value::Kind::map ? add_map(item) : add_value(keep(path_), item));
  }
  return {};
}

Status Fields::put(message::Builder& to) const {
  for (const Field& field : list_) VARVE_RETURN_IF_ERROR(to.add_field(field.name, field.form, field.text));
  return {};
}

std::string_view Fields::text_of(std::string_view name) const {
  for (auto field = list_.rbegin(); field != list_.rend(); ++field) {
    if (field->name == name && field->form == FieldForm::text) return field->text;
  }
  return {};
}

}  // namespace varve::protocol::otlp
