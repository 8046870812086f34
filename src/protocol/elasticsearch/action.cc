// SPDX-License-Identifier: Apache-2.0
#include "protocol/elasticsearch/action.h"

#include <cstring>

#include "base/uuid.h"
#include "codec/hash.h"
#include "protocol/json/tree.h"

namespace varve::protocol::elasticsearch {
namespace {

std::string_view token_of(json::Kind kind) {
  switch (kind) {
    case json::Kind::array: return "START_ARRAY";
    case json::Kind::object: return "START_OBJECT";
    case json::Kind::string: return "VALUE_STRING";
    case json::Kind::number: return "VALUE_NUMBER";
    case json::Kind::boolean: return "VALUE_BOOLEAN";
    default: return "VALUE_NULL";
  }
}

std::optional<ActionKind> kind_named(std::string_view name) {
  for (const ActionKind kind : {ActionKind::create, ActionKind::index, ActionKind::update, ActionKind::delete_}) {
    if (name == name_of(kind)) return kind;
  }
  return std::nullopt;
}

std::string shown_key(std::string_view key) { return std::string(key.substr(0, 100)); }

// Members that are not text are those that a log has no use for: versions, routing, …
Status read_parameters(const json::Node& parameters, Action& action, const std::string& where) {
  const auto text = [&](std::string_view name, std::size_t most) -> Result<const json::Node*> {
    const json::Node* node = parameters.find(name);
    if (node == nullptr) return nullptr;
    if (node->kind == json::Kind::object || node->kind == json::Kind::array) {
      return fail(Code::invalid, "Malformed " + where + ", expected a simple value for field [" + std::string(name) +
                                     "] but found [" + std::string(token_of(node->kind)) + "]");
    }
    if (node->text.size() <= most) return node;
    return fail(Code::invalid, where + ": " + std::string(name) + " is too long, must be no longer than " +
                                   std::to_string(most) + " bytes but was: " + std::to_string(node->text.size()));
  };
  VARVE_ASSIGN_OR_RETURN(const json::Node* const index, text("_index", kIndexBytesMax));
  VARVE_ASSIGN_OR_RETURN(const json::Node* const id, text("_id", kDocumentIdBytesMax));
  if (index != nullptr) action.index = index->text;
  if (id != nullptr) action.id = std::string(id->text);
  return {};
}

}  // namespace

std::string_view name_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::create: return "create";
    case ActionKind::index: return "index";
    case ActionKind::update: return "update";
    default: return "delete";
  }
}

Result<Action> read_action(std::string_view text, std::size_t line) {
  const std::string where = "action/metadata line [" + std::to_string(line) + "]";
  const auto malformed = [&](const std::string& why) { return fail(Code::invalid, "Malformed " + where + ", " + why); };
  json::Reader reader(text);
  const auto root = json::read_strict(reader);
  if (!root) return malformed("not JSON: " + root.error().message);
  if (root->kind != json::Kind::object) {
    return malformed("expected START_OBJECT but found [" + std::string(token_of(root->kind)) + "]");
  }
  if (root->names.empty()) return malformed("expected FIELD_NAME but found [END_OBJECT]");
  if (root->names.size() > 1) return malformed("expected END_OBJECT but found [FIELD_NAME]");
  Action action;
  const auto kind = kind_named(root->names[0]);
  if (!kind) {
    return malformed("expected field [create], [delete], [index] or [update] but found [" + shown_key(root->names[0]) +
                     "]");
  }
  action.kind = *kind;
  const json::Node& parameters = root->children[0];
  if (parameters.kind != json::Kind::object) {
    return malformed("expected START_OBJECT but found [" + std::string(token_of(parameters.kind)) + "]");
  }
  VARVE_RETURN_IF_ERROR(read_parameters(parameters, action, where));
  return action;
}

std::array<char, message::kIdBytes> message_id_of(std::string_view document_id) {
  if (const auto uuid = read_uuid(document_id)) return *uuid;
  std::array<char, message::kIdBytes> id{};
  const auto hash = codec::murmur3_128(document_id);
  static_assert(sizeof hash == sizeof id);
  std::memcpy(id.data(), hash.data(), sizeof id);
  return id;
}

}  // namespace varve::protocol::elasticsearch
