// SPDX-License-Identifier: Apache-2.0
#include "protocol/elasticsearch/bulk.h"

#include <cstring>
#include <deque>

#include "protocol/elasticsearch/action.h"
#include "protocol/json/reader.h"
#include "protocol/json/writer.h"
#include "protocol/messages/cells.h"
#include "protocol/messages/general_message.h"
#include "protocol/messages/shared_bytes.h"

namespace varve::protocol::elasticsearch {
namespace {

using message::Column;

// Names of the Elastic Common Schema that are columns.
const message::ColumnName* ecs_column_of(std::string_view path) {
  constexpr std::string_view kTime = "@timestamp", kText = "message", kHost = "host.name", kLevel = "log.level",
                             kService = "service.name", kPid = "process.pid";
  switch (path.size()) {
    case kText.size(): return path == kText ? &message::name_of(Column::text) : nullptr;
    case kHost.size():
      if (path == kHost) return &message::name_of(Column::source);
      return path == kLevel ? &message::name_of(Column::level) : nullptr;
    case kTime.size(): return path == kTime ? &message::name_of(Column::time) : nullptr;
    case kPid.size(): return path == kPid ? &message::name_of(Column::pid) : nullptr;
    case kService.size(): return path == kService ? &message::name_of(Column::module) : nullptr;
    default: return nullptr;
  }
}

constexpr messages::Mapping kEcs{ecs_column_of, true};

messages::Options cell_options(const BulkOptions& options) {
  messages::Options out;
  out.precision = messages::Precision::ms;
  out.optional_time = true;
  out.now_us = options.now_us;
  out.limits = options.limits;
  return out;
}

class BulkReader {
 public:
  BulkReader(std::string_view body, const BulkOptions& options, message::Batch& batch)
      : rest_(body),
        bytes_max_(messages::rows_bytes_max(body.size())),
        options_(options),
        cell_options_(cell_options(options)),
        batch_(batch),
        cells_(cell_options_, batch) {}

  Result<Bulk> read() {
    std::string_view line;
    while (next_line(line)) {
      VARVE_RETURN_IF_ERROR(set_action(line));
      if (!has_document(action_.kind)) {
        VARVE_RETURN_IF_ERROR(finish_item(not_changed()));
        continue;
      }
      const std::size_t number = line_;
      if (!next_document(line)) {
        return fail(Code::invalid,
                    "action/metadata line [" + std::to_string(number) + "] has no line with a document behind it");
      }
      VARVE_RETURN_IF_ERROR(finish_item(action_.kind == ActionKind::update ? not_changed() : add_document(line)));
    }
    if (position_ == 0) return fail(Code::invalid, "Validation Failed: 1: no requests added;");
    return std::move(bulk_);
  }

 private:
  static Status not_changed() {
    return fail(Code::unsupported, "messages are only added: the actions are create and index");
  }

  bool next_document(std::string_view& line) {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    return true;
  }

  // Empty lines are passed over.
  bool next_line(std::string_view& line) {
    while (next_document(line)) {
      if (line.find_first_not_of(" \t\r") != std::string_view::npos) return true;
    }
    return false;
  }

  // Most senders repeat one line.
  Status set_action(std::string_view line) {
    if (line == action_line_) return {};
    auto action = read_action(line, line_);
    if (!action) return fail(action.error());
    action_ = std::move(*action);
    action_line_ = line;
    if (action_.index.empty()) action_.index = options_.index;
    answered_.clear();
    return {};
  }

  Status add_document(std::string_view line) {
    if (line.size() > messages::kFieldsBytesMax) {
      return fail(Code::too_large, "the document has " + std::to_string(line.size()) + " bytes; at most " +
                                       std::to_string(messages::kFieldsBytesMax));
    }
    json::Reader reader(line);
    reader.set_strict();
    reader.keep_cut_texts();
    const json::Element document = reader.value();
    if (!reader.failed() && document.kind != json::Kind::object) return fail(Code::invalid, "it is not an object");
    cells_.start();
    names_.clear();
    if (!action_.index.empty()) VARVE_RETURN_IF_ERROR(cells_.field("_index", message::FieldForm::text, action_.index));
    if (action_.id) cells_.id(message_id_of(*action_.id));
    const Status status = reader.failed() ? Status{} : messages::read_message(reader, cells_, names_, kEcs);
    if (reader.failed()) return fail(messages::not_json(reader, true));
    VARVE_RETURN_IF_ERROR(status);
    if (!reader.at_end()) return fail(Code::invalid, "there is something behind the object");
    VARVE_RETURN_IF_ERROR(cells_.move_field("process.name", Column::module));
    return cells_.finish();
  }

  // Error: the answer, or what is stored, becomes too large.
  Status finish_item(const Status& status) {
    std::string& out = bulk_.items;
    if (position_ != 0) out += ',';
    if (status) {
      if (answered_.empty()) answered_ = item_of(status);
      out += answered_;
      ++bulk_.outcome.accepted;
    } else {
      out += item_of(status);
      bulk_.outcome.reject(position_, status.error());
    }
    ++position_;
    if (out.size() <= bytes_max_ && batch_.bytes().size() <= bytes_max_) return {};
    return fail(Code::too_large, "a name of an index, repeated for each document, is more than " +
                                     std::to_string(bytes_max_) + " bytes");
  }

  [[nodiscard]] std::string item_of(const Status& status) const {
    constexpr int kCreated = 201, kRefused = 400, kTooMany = 429;
    const bool shed = messages::is_shed(status);
    std::string out;
    json::Writer json(out);
    json.begin_object().key(name_of(action_.kind)).begin_object();
    if (!action_.index.empty()) json.member("_index", action_.index);
    if (action_.id) json.member("_id", *action_.id);
    if (status) json.member("result", "created");
    json.member("status", status ? kCreated : shed ? kTooMany : kRefused);
    if (!status) {
      const bool document = status.error().code == Code::invalid || status.error().code == Code::too_old;
      json.key("error").begin_object();
      json.member("type", shed       ? "es_rejected_execution_exception"
                          : document ? "document_parsing_exception"
                                     : "illegal_argument_exception");
      json.member("reason", status.error().message).end_object();
    }
    json.end_object().end_object();
    return out;
  }

  std::string_view rest_;
  const std::size_t bytes_max_;  // of rows and of the answer
  const BulkOptions& options_;
  const messages::Options cell_options_;
  const message::Batch& batch_;
  messages::Cells cells_;
  std::deque<std::string> names_;  // of fields, made of the names of nested objects
  std::string_view action_line_;
  Action action_;
  std::string answered_;  // an item of action_ that was stored
  std::size_t line_ = 0;
  std::size_t position_ = 0;
  Bulk bulk_;
};

std::string_view type_of(int status) {
  switch (status) {
    case 400:
    case 405: return "illegal_argument_exception";
    case 403: return "security_exception";
    case 404: return "resource_not_found_exception";
    case 413: return "content_too_long_exception";
    case 429: return "es_rejected_execution_exception";
    case 503: return "unavailable_shards_exception";
    default: return "exception";
  }
}

}  // namespace

Result<Bulk> parse_bulk(std::string_view body, const BulkOptions& options, message::Batch& batch) {
  if (options.index.size() > kIndexBytesMax) {
    return fail(Code::invalid,
                "_index is too long, must be no longer than " + std::to_string(kIndexBytesMax) + " bytes");
  }
  return BulkReader(body, options, batch).read();
}

std::string bulk_answer(const Bulk& bulk, std::int64_t took_ms) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member("took", took_ms).member("errors", bulk.outcome.rejected != 0);
  json.key("items").begin_array();
  if (!bulk.items.empty()) json.raw(bulk.items);
  json.end_array().end_object();
  return out;
}

std::string error_json(int status, std::string_view reason) {
  std::string out;
  json::Writer json(out);
  json.begin_object().key("error").begin_object().key("root_cause").begin_array().begin_object();
  json.member("type", type_of(status)).member("reason", reason).end_object().end_array();
  json.member("type", type_of(status)).member("reason", reason).end_object();
  json.member("status", status).end_object();
  return out;
}

}  // namespace varve::protocol::elasticsearch
