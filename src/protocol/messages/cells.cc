// SPDX-License-Identifier: Apache-2.0
#include "protocol/messages/cells.h"

#include <array>
#include <cstdint>
#include <string>

#include "base/uuid.h"
#include "message/level.h"
#include "protocol/messages/time.h"
#include "protocol/messages/whole_number.h"
#include "protocol/messages/words.h"

namespace varve::protocol::messages {
namespace {

using message::Column;

std::unexpected<Error> wrong(Column column, std::string_view value, std::string_view is) {
  return fail(Code::invalid,
              std::string(message::name_of(column).key).append(" ").append(value).append(" is ").append(is));
}

// Now in a coarser unit, taken for the finer one, lies in the first days of 1970; in a finer one it is far ahead.
bool has_likely_other_unit(PreciseTime time, bool old, std::string_view shown) {
  if (shown.find_first_not_of("0123456789.") != std::string_view::npos) return false;  // it is no number
  constexpr std::int64_t kFirst = std::int64_t{1} << 32;                               // milliseconds, as microseconds
  constexpr std::int64_t kBeyond = std::int64_t{1} << 55;                              // the year 3111
  return old ? time.us > 0 && time.us < kFirst * 1000 : time.us > kBeyond;
}

std::string_view name_of(Precision precision) {
  constexpr std::array<std::string_view, 4> kNames{"seconds", "milliseconds", "microseconds", "nanoseconds"};
  return kNames[static_cast<std::size_t>(precision)];
}

std::string quoted(std::string_view text) { return "'" + shorten(text) + "'"; }

// `quotes`: of the value in the sender's words.
Status set_integer(message::Builder& builder, Column column, std::string_view text, std::string_view quotes) {
  const auto value = whole_number(text);
  std::string_view wanted;
  if (column == Column::level && (!value || *value != static_cast<std::int32_t>(*value))) {
    wanted = "not a whole number of 32 bits";
  } else if (!value) {
    wanted = "not a whole number of 64 bits";
  } else if (column == Column::kind && (*value < 0 || *value > message::kKindMax)) {
    wanted = "not one of the kinds 0 to 12";
  } else {
    builder.set(column, *value);
    return {};
  }
  return wrong(column, std::string(quotes).append(shorten(text)).append(quotes), wanted);
}

Status set_named(message::Builder& builder, Column column, std::string_view text) {
  std::optional<std::int64_t> named;
  if (column == Column::level) named = message::level_of(text);
  if (column == Column::kind) named = message::kind_of(text);
  if (named) {
    builder.set(column, *named);
    return {};
  }
  if ((column == Column::level || column == Column::kind) && !whole_number(text)) {
    return wrong(column, quoted(text), "neither a number nor the name of one");
  }
  return set_integer(builder, column, text, "'");
}

}  // namespace

Status Cells::set_time(const Result<PreciseTime>& time, std::string_view shown) {
  if (!time) return fail(time.error());
  has_time_ = true;
  time_ = *time;
  time_shown_ = shown;
  return {};
}

Status Cells::text(Column column, std::string_view text) {
  switch (column) {
    case Column::level:
    case Column::kind:
    case Column::pid:
    case Column::sequence: return set_named(builder_, column, text);
    case Column::time: return set_time(time_of_text(text, options_.precision, options_.optional_time), text);
    case Column::object: return builder_.add_object(text);
    case Column::id: {
      const auto id = read_uuid(text);
      if (!id) return wrong(column, quoted(text), "not a UUID");
      builder_.set_id(*id);
      return {};
    }
    case Column::text: text_ = text; [[fallthrough]];
    default: return builder_.set(column, text);
  }
}

Status Cells::number(Column column, std::string_view number) {
  if (column == Column::time) return set_time(time_of_number(number, options_.precision), number);
  if (message::is_integer(column)) return set_integer(builder_, column, number, "");
  return other(column, json::Kind::number, number);
}

Status Cells::other(Column column, json::Kind kind, std::string_view text) {
  const bool scalar = kind == json::Kind::number || kind == json::Kind::boolean;
  const bool takes_text = !message::is_integer(column) && column != Column::object && column != Column::id;
  if (scalar && takes_text) return this->text(column, text);
  const std::string_view found = kind == json::Kind::array    ? "a list"
                                 : kind == json::Kind::object ? "an object"
                                 : kind == json::Kind::number ? "a number"
                                                              : text;
  const std::string_view wanted = column == Column::object      ? "a list of texts"
                                  : column == Column::time      ? "a number or RFC 3339"
                                  : message::is_integer(column) ? "a number"
                                  : column == Column::id        ? "a UUID"
                                                                : "text";
  return fail(
      Code::invalid,
      std::string(message::name_of(column).key).append(" takes ").append(wanted).append(", not ").append(found));
}

void Cells::null(Column column) {
  if (column == Column::time) has_time_ = false;
  if (column != Column::time) builder_.drop(column);
}

Status Cells::move_field(std::string_view name, Column column) {
  const auto text = builder_.text_of_field(name);
  if (!text || builder_.has(column)) return {};
  builder_.drop_field(name);
  return this->text(column, *text);
}

Status Cells::finish() {
  if (options_.names_in_xml && builder_.has(Column::text)) {
    VARVE_RETURN_IF_ERROR(xml_names_.read(text_));
    for (const std::string& name : xml_names_.names()) VARVE_RETURN_IF_ERROR(builder_.add_object(name));
  }
  if (!has_time_) {
    builder_.finish(options_.now_us);
    return admission_.admit();
  }
  const Limits& limits = options_.limits;
  if (time_.us < limits.first_us || time_.us > limits.last_us) [[unlikely]] {
    const bool old = time_.us < limits.first_us;
    std::string text = "time " + shorten(time_shown_) + " is " + (old ? limits.too_old : limits.too_new);
    if (has_likely_other_unit(time_, old, time_shown_)) {
      text.append("; times are taken as ").append(name_of(options_.precision)).append(" here: is that their unit?");
    }
    return fail(old ? Code::too_old : Code::invalid, std::move(text));
  }
  return admission_.finish(builder_, time_.us, time_.nanos);
}

}  // namespace varve::protocol::messages
