// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/message.h"

#include <array>
#include <charconv>

#include "protocol/syslog/header.h"
#include "protocol/syslog/mnemonic.h"
#include "protocol/syslog/rfc3164.h"
#include "protocol/syslog/time.h"

namespace varve::protocol::syslog {
namespace {

using message::Column;

constexpr unsigned kPriorityMax = 191;
constexpr std::int64_t kSyslogKind = 10;
constexpr std::size_t kCountDigits = 8;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// As rsyslog names them.
constexpr std::array<std::string_view, 24> kFacilities{"kern",   "user",   "mail",   "daemon", "auth",     "syslog",
                                                       "lpr",    "news",   "uucp",   "cron",   "authpriv", "ftp",
                                                       "ntp",    "audit",  "alert",  "clock",  "local0",   "local1",
                                                       "local2", "local3", "local4", "local5", "local6",   "local7"};

// A length in front of a priority.
void skip_count(std::string_view& text) {
  std::size_t digits = 0;
  while (digits < text.size() && digits < kCountDigits && text[digits] >= '0' && text[digits] <= '9') ++digits;
  if (digits > 0 && text.substr(digits).starts_with(" <")) text.remove_prefix(digits + 1);
}

std::optional<unsigned> take_priority(std::string_view& text) {
  if (!text.starts_with('<')) return std::nullopt;
  const std::size_t end = text.substr(0, 5).find('>');
  if (end == std::string_view::npos) return std::nullopt;
  unsigned priority = 0;
  const auto [stop, error] = std::from_chars(text.data() + 1, text.data() + end, priority);
  if (error != std::errc() || stop != text.data() + end || priority > kPriorityMax) return std::nullopt;
  text.remove_prefix(end + 1);
  return priority;
}

// Up to a blank, which is taken, too; "-" is "".
std::string_view take_word(std::string_view& text) {
  const std::size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return word == "-" ? std::string_view() : word;
}

void take_one_blank(std::string_view& text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
}

// False, and the text is as it was: the version and time of RFC 5424 are not there.
bool take_rfc5424(std::string_view& text, const Context& context, StructuredData& data, Header& out) {
  if (!text.starts_with("1 ")) return false;
  std::string_view left = text.substr(2);
  if (left == "-" || left.starts_with("- ")) {
    left.remove_prefix(1);
  } else if (!take_rfc3339(left, context.zone, out.time)) {
    return false;
  }
  take_one_blank(left);
  out.host = take_word(left);
  out.program = take_word(left);
  out.pid = take_word(left);
  out.msgid = take_word(left);
  if (data.take(left)) take_one_blank(left);  // else it is text
  take_one_blank(left);                       // rsyslog's own template has it in front of what a tag was before
  text = left;
  if (out.program.empty()) {
    if (const auto found = begins_as_mnemonic(text)) {
      out.program = found->facility;
      out.mnemonic = found->name;
      text.remove_prefix(found->end);
    }
  }
  return true;
}

// The pid, or the field procid where it is no number. False: it is too long for a message.
bool add_pid(std::string_view pid, message::Builder& to) {
  if (pid.empty()) return true;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(pid.data(), pid.data() + pid.size(), number);
  if (error != std::errc() || stop != pid.data() + pid.size() || pid.front() == '-') {
    return to.add_field("procid", message::FieldForm::text, pid).has_value();
  }
  to.set(Column::pid, number);
  return true;
}

bool add_fields(const Header& header, message::Builder& to) {
  const auto add = [&](std::string_view name, std::string_view text) {
    return text.empty() || to.add_field(name, message::FieldForm::text, text).has_value();
  };
  if (header.device.sequence) to.set(Column::sequence, *header.device.sequence);
  return add("msgid", header.msgid) && add("mnemonic", header.mnemonic) && add("node", header.device.node) &&
         add("uptime", header.device.uptime) && add("vdc", header.vdc) && add("station", header.station);
}

bool add_header(const Header& header, unsigned priority, const Context& context, message::Builder& to) {
  to.set(Column::level, std::int64_t{priority & 7});
  to.set(Column::kind, kSyslogKind);
  return to.set(Column::source, header.host.empty() ? context.sender : header.host) &&
         to.set(Column::module, header.program.empty() ? "UNKNOWN" : header.program) &&
         to.set(Column::category, facility_name(priority >> 3)) && to.set(Column::type, "Syslog") &&
         add_pid(header.pid, to) && add_fields(header, to);
}

}  // namespace

std::string_view facility_name(unsigned facility) { return kFacilities.at(facility); }

std::optional<Refusal> Parser::parse(std::string_view frame, const Context& context, message::Builder& to) {
  if (frame.empty()) return Refusal::empty;
  std::string_view text = frame;
  skip_count(text);
  const auto priority = take_priority(text);
  if (!priority) return Refusal::no_priority;
  if (text.empty()) return Refusal::empty;
  Header header{};
  header.time.us = context.now_us;
  to.start();
  if (take_rfc5424(text, context, data_, header)) {
    data_.add_to(to);
  } else {
    take_rfc3164(text, context, header);
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  if (!add_header(header, *priority, context, to)) return Refusal::too_long;
  if (!text.empty() && !to.set(Column::text, text)) return Refusal::too_long;
  to.finish(header.time.us, header.time.nanos);
  return std::nullopt;
}

}  // namespace varve::protocol::syslog
