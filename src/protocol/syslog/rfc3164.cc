// SPDX-License-Identifier: Apache-2.0
#include "protocol/syslog/rfc3164.h"

#include "base/ascii.h"
#include "message/level.h"
#include "protocol/syslog/bsd_header.h"
#include "protocol/syslog/mnemonic.h"
#include "protocol/syslog/time.h"

namespace varve::protocol::syslog {
namespace {

void skip_one_blank(std::string_view& text) {
  if (text.starts_with(' ')) text.remove_prefix(1);
}

// `HOST: ` or `HOST : ` before a mnemonic, as firewalls write it.
std::string_view take_closed_host(std::string_view& text) {
  const std::size_t end = text.find(' ');
  if (end == std::string_view::npos || end < 2 || text[end - 1] != ':') return {};
  const std::string_view host = text.substr(0, end - 1);
  if (!is_host(host) || !begins_as_mnemonic(text.substr(end + 1))) return {};
  text.remove_prefix(end + 1);
  return host;
}
void skip_colon(std::string_view& text) {
  const std::size_t colon = text.find_first_not_of(' ');
  if (colon == std::string_view::npos || colon > 1 || !text.substr(colon).starts_with(": ")) return;
  if (begins_as_mnemonic(text.substr(colon + 2))) text.remove_prefix(colon + 2);
}

// The number of an event, as Aruba's switches put it before the tag.
std::string_view take_event(std::string_view& text) {
  constexpr std::size_t kDigits = 5;
  if (text.size() <= kDigits || text.find_first_not_of("0123456789") != kDigits || text[kDigits] != ' ') return {};
  std::string_view left = text.substr(kDigits + 1);
  if (take_tag(left).program.empty()) return {};
  const std::string_view event = text.substr(0, kDigits);
  text.remove_prefix(kDigits + 1);
  return event;
}

// Between host and text.
void take_behind_host(std::string_view& text, const Context& context, Header& out) {
  constexpr CharSet kUnusual("0123456789:*. ");  // that a tag begins with
  if (!text.empty() && kUnusual.contains(text[0])) {
    skip_colon(text);
    out.msgid = take_event(text);
    // A relay's header may stand before the device's own.
    if (take_device_header(text, context, out.device) && out.device.time) out.time = *out.device.time;
  }
  out.station = take_station(text);
}

// Behind a date that no colon closed.
void take_host_of(std::string_view& text, const Date& date, const Context& context, Header& out) {
  if (text.starts_with("- ")) {
    text.remove_prefix(2);
    return;
  }
  std::string_view left = text;
  const std::string_view host = take_host(left);
  if (host.empty()) {
    out.host = take_closed_host(text);
    return;
  }
  std::string_view tagged = left;
  if (date.loose && (take_tag(tagged).program.empty() || message::level_of(host))) return;
  out.host = host;
  text = left;
  take_behind_host(text, context, out);
}

void take_program(std::string_view& text, Header& out) {
  if (constexpr std::string_view kClose = " %$ "; text.starts_with(kVdcOpens)) {
    if (const std::size_t end = text.find(kClose, kVdcOpens.size()); end != std::string_view::npos) {
      out.vdc = text.substr(3, end - 3);
      text.remove_prefix(end + kClose.size());
    }
  }
  if (const auto found = begins_as_mnemonic(text)) {
    out.program = found->facility;
    out.mnemonic = found->name;
    text.remove_prefix(found->end);
    return;
  }
  const Tag tag = take_tag(text);
  out.program = tag.program;
  out.pid = tag.pid;
  if (const auto found = begins_as_mnemonic(text)) out.mnemonic = found->name;
}

}  // namespace

void take_rfc3164(std::string_view& text, const Context& context, Header& out) {
  std::string_view dated = text;
  skip_one_blank(dated);
  Date date;
  if (take_date(dated, context, date)) {
    out.time = date.time;
    text = dated;
    skip_one_blank(text);
    if (date.closed) {
      out.host = take_closed_host(text);
    } else {
      take_host_of(text, date, context, out);
    }
  } else if (take_device_header(dated, context, out.device)) {
    text = dated;
    out.host = out.device.host;
    if (out.device.time) out.time = *out.device.time;
  }
  take_program(text, out);
}

}  // namespace varve::protocol::syslog
