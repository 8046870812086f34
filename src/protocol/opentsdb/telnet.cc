// SPDX-License-Identifier: Apache-2.0
#include "protocol/opentsdb/telnet.h"

#include <cmath>
#include <cstring>

#include "model/time.h"
#include "protocol/json/number.h"
#include "protocol/json/text.h"

namespace varve::protocol::opentsdb {
namespace {

using json::Number;

constexpr std::size_t kShownMax = 200;  // bytes of the sender's own text in an answer
constexpr std::size_t kWordsMax = 1100;
constexpr std::size_t kPadding = 64;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view shown(std::string_view text) { return text.substr(0, kShownMax); }

// Below three thousand million: seconds, as KairosDB has it for the next decades.
constexpr std::int64_t kSecondsMax = 3'000'000'000;

bool in_range(std::int64_t time) { return time >= model::kTimestampMin && time <= model::kTimestampMax; }

// A word that starts with `tenant=`.
bool has_tenant_word(std::string_view tags) {
  for (std::size_t at = 0; (at = tags.find("tenant=", at)) != std::string_view::npos; ++at) {
    if (at > 0 && is_blank(tags[at - 1])) return true;
  }
  return false;
}

// Words at blanks. One that starts with a quote goes on to a quote that a blank or the end follows. `tail`: what
// stands behind the fourth word.
bool split(std::string_view line, std::vector<std::string_view>& words, std::string_view& tail) {
  bool quotes = false;
  words.clear();
  tail = {};
  for (std::size_t at = 0; words.size() < kWordsMax;) {
    if (words.size() == 4 && tail.data() == nullptr) tail = line.substr(at);
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) break;
    std::size_t end = at;
    if (line[at] == '"') {
      std::size_t close = line.find('"', at + 1);
      while (close != line.npos && close + 1 < line.size() && !is_blank(line[close + 1]))
        close = line.find('"', close + 1);
      if (close != line.npos) {
        words.push_back(line.substr(at + 1, close - at - 1));
        quotes = true;
        at = close + 1;
        continue;
      }
    }
    while (end < line.size() && !is_blank(line[end])) ++end;
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return quotes;
}

// Why to_long() did not take it, in OpenTSDB's words.
std::string why_no_long(std::string_view text) {
  if (text.empty()) return "Empty string";
  const bool sign = text[0] == '+' || text[0] == '-';
  if (sign && text.size() == 1) return "Just a sign, no value: " + std::string(text);
  if (text.size() > (sign ? 20U : 19U)) return "Value too long: " + std::string(shown(text));
  for (const char c : text.substr(sign ? 1 : 0)) {
    if (c < '0' || c > '9') return "Invalid character '" + std::string(1, c) + "' in " + std::string(text);
  }
  return "Overflow in " + std::string(text);
}

std::string shown_tags(const model::TagViews& tags) {
  std::string text = "{";
  for (const auto& [key, value] : tags) {
    if (text.size() > 1) text += ", ";
    text.append(shown(key)).append("=").append(shown(value));
    if (text.size() > kShownMax) break;
  }
  return text + '}';
}

std::unexpected<Error> bad_value(std::string why) { return fail(Code::invalid, "invalid value: " + std::move(why)); }
std::unexpected<Error> bad_argument(std::string why) {
  return fail(Code::invalid, "illegal argument: " + std::move(why));
}

Result<model::Timestamp> time_of(std::string_view text, bool milliseconds) {
  const bool fraction = !milliseconds && text.find('.') != std::string_view::npos;
  std::int64_t time = 0;
  if (fraction) {
    const auto seconds = json::to_double(text);
    if (!seconds) return bad_value("For input string: \"" + std::string(shown(text)) + '"');
    if (!(std::abs(*seconds) < static_cast<double>(kSecondsMax))) {
      return bad_argument("invalid timestamp: " + std::string(shown(text)));
    }
    return std::llround(*seconds * 1000);
  }
  const auto whole = json::to_long(text);
  if (!whole) return bad_value(why_no_long(text));
  time = *whole;
  if (!in_range(time)) return bad_argument("invalid timestamp: " + std::string(text));
  if (!milliseconds && time < kSecondsMax) {
    if (time < model::kTimestampMin / 1000) return bad_argument("invalid timestamp: " + std::string(text));
    time *= 1000;
  }
  return time;
}

Result<model::Value> number_value(std::string_view text, std::string_view metric) {
  if (text.find_first_of(".eE") == std::string_view::npos) {
    const auto whole = json::to_long(text);
    if (!whole) return bad_value(why_no_long(text));
    return model::Value::of_long(*whole);
  }
  const auto real = json::to_double(text);
  if (!real) return bad_value("For input string: \"" + std::string(shown(text)) + '"');
  if (!std::isfinite(*real)) {
    return bad_argument("value is NaN or Infinite: " + std::string(shown(text)) +
                        " for metric=" + std::string(shown(metric)));
  }
  return model::Value::of_double(*real);
}

}  // namespace

TelnetParser::TelnetParser(Targets& targets, TelnetOptions options)
    : options_(std::move(options)), route_(targets, options_.tenant_tag) {}

void TelnetParser::refuse(std::string_view text, std::string& replies) {
  ++refused_;
  if (options_.answer_errors) replies.append(text).append(1, '\n');
}

void TelnetParser::too_long(std::string& replies) {
  refuse("put: illegal argument: line too long (at most " + std::to_string(options_.line_max) + " bytes)", replies);
}

// put and putm of plain numbers for a group known already. The 64 bytes behind the line are readable.
bool TelnetParser::fast_put(std::string_view line) {
  const char* at = line.data();
  const char* const end = at + line.size();
  if (line.size() < 8 || std::memcmp(at, "put", 3) != 0) return false;
  const bool milliseconds = at[3] == 'm';
  at += milliseconds ? 4 : 3;
  const auto skip_blanks = [&] {
    const char* const from = at;
    while (at < end && is_blank(*at)) ++at;
    return at != from && at < end;
  };
  if (!skip_blanks()) return false;
  const char* const metric = at;
  while (at < end && !is_blank(*at)) ++at;
  key_.name = {metric, static_cast<std::size_t>(at - metric)};
  if (!skip_blanks()) return false;
  Number time;
  at = scan_number(at, time);
  if (time.kind != Number::Kind::whole || !skip_blanks()) return false;
  if (time.mantissa < model::kTimestampMin / 1000) return false;  // also as seconds; and * 1000 would overflow
  if (time.mantissa < kSecondsMax && !milliseconds) time.mantissa *= 1000;
  if (!in_range(time.mantissa)) return false;
  const char* const value = at;
  Number number;
  at = scan_number(at, number);
  if (number.kind == Number::Kind::none || at > end || (at < end && !is_blank(*at))) return false;
  const std::string_view text(value, static_cast<std::size_t>(at - value));
  key_.tags = {at, static_cast<std::size_t>(end - at)};
  if (!route_.takes([&] { return has_tenant_word(key_.tags); })) return false;
  auto* guess = route_.guess();
  auto* group = guess != nullptr && key_.is_of(*guess) ? guess : route_.find(key_.joined());
  if (group == nullptr || time.mantissa < route_.batch().kept_from(*group)) return false;
  if (!add_number(route_.batch(), *group, time.mantissa, number, text)) return false;
  route_.step(group);
  ++taken_;
  return true;
}

// Words in quotes hide where the metric ends, so such keys are written otherwise: \1, then each word with its length.
std::string_view TelnetParser::key_of_words() {
  if (!quotes_) {
    key_.name = words_[1];
    key_.tags = tail_;
    return key_.joined();
  }
  quoted_key_ = '\1';
  for (std::size_t i = 1; i < words_.size(); ++i) {
    if (i == 2 || i == 3) continue;  // time and value
    quoted_key_.append(std::to_string(words_[i].size())).append(1, ':').append(words_[i]);
  }
  return quoted_key_;
}

Status TelnetParser::read_tags(std::string_view command, model::TagViews& tags, std::uint32_t& ttl_s) {
  for (std::size_t i = 4; i < words_.size(); ++i) {
    const std::string_view word = words_[i];
    const auto first = word.find('=');
    const auto second = first == word.npos ? word.npos : word.find('=', first + 1);  // a=b=c: KairosDB takes b
    const auto key = word.substr(0, first);
    const auto value = first == word.npos ? std::string_view{} : word.substr(first + 1, second - first - 1);
    if (key.empty() || value.empty()) return bad_argument("invalid tag: " + std::string(shown(word)));
    if (key == "kairos_opt.ttl") {
      const auto seconds = json::to_long(value);
      if (!seconds) return bad_value(why_no_long(value));
      ttl_s = model::ttl_s_of(*seconds);
      continue;
    }
    bool again = false;
    for (const auto& tag : tags) {
      if (tag.key != key) continue;
      if (tag.value != value)
        return bad_argument("duplicate tag: " + std::string(shown(word)) + ", tags=" + shown_tags(tags));
      again = true;
    }
    if (!again) tags.push_back({key, value});
  }
  if (words_.size() == kWordsMax) return bad_argument(std::string(command) + " has too many tags");
  if (tags.empty()) tags.push_back({"add", "tag"});  // as KairosDB
  return {};
}

Status TelnetParser::put(std::string_view command) {
  if (words_.size() < 4) {
    return bad_argument("not enough arguments (need least 4, got " + std::to_string(words_.size() - 1) + ')');
  }
  const std::string_view metric = words_[1];
  if (metric.empty()) return bad_argument("empty metric name");
  VARVE_ASSIGN_OR_RETURN(const auto time, time_of(words_[2], command != "put"));
  if (words_[3].empty()) return bad_argument("empty value");
  auto value = model::Value::of_string(words_[3]);
  if (command != "puts") {
    VARVE_ASSIGN_OR_RETURN(value, number_value(words_[3], metric));
  } else if (!json::is_utf8(words_[3])) {
    return bad_argument("the value must be valid UTF-8");
  }
  model::TagViews tags;
  std::uint32_t ttl_s = 0;
  VARVE_RETURN_IF_ERROR(read_tags(command, tags, ttl_s));
  auto group = route_.resolve(key_of_words(), metric, time, tags, ttl_s);
  if (!group) {
    const bool old = group.error().code == Code::too_old;
    const bool theirs = old || group.error().code == Code::invalid;
    too_old_ += old ? 1 : 0;
    return fail(group.error().code, (theirs ? "illegal argument: " : "storage error: ") + group.error().message);
  }
  route_.batch().add(**group, time, value);
  route_.step(*group);
  ++taken_;
  return {};
}

void TelnetParser::general(std::string_view line, std::string& replies) {
  quotes_ = split(line, words_, tail_);
  if (words_.empty()) return;
  const std::string_view command = words_[0];
  if (command == "put" || command == "putm" || command == "puts") {
    if (const auto status = put(command); !status) {
      refuse(std::string(command) + ": " + status.error().message, replies);
    }
  } else if (command == "version") {
    replies.append(options_.version).append(1, '\n');
  } else if (command == "help") {
    replies += "available commands: put putm puts version help exit \n";
  } else if (command == "exit") {
    ended_ = true;
  } else {
    refuse("unknown command: " + std::string(shown(command)) + ".  Try `help'.", replies);
  }
}

void TelnetParser::line(std::string_view line, bool padded, std::string& replies) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.size() > options_.line_max) return too_long(replies);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  if (!padded || !fast_put(line)) general(line, replies);
}

bool TelnetParser::feed(std::string_view piece, std::string& replies) {
  const char* at = piece.data();
  const char* const end = at + piece.size();
  while (at < end && !ended_) {
    const char* const newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const std::string_view part(at, static_cast<std::size_t>((newline != nullptr ? newline : end) - at));
    at = newline != nullptr ? newline + 1 : end;
    if (skipping_) {
      skipping_ = newline == nullptr;
    } else if (newline != nullptr && rest_.empty()) {
      line(part, static_cast<std::size_t>(end - newline) >= kPadding, replies);
    } else if (rest_.size() + part.size() > options_.line_max + 1) {  // 1: a carriage return
      too_long(replies);
      rest_.clear();
      skipping_ = newline == nullptr;
    } else {
      rest_ += part;
      if (newline == nullptr) break;
      const std::size_t size = rest_.size();
      rest_.append(kPadding, '\0');
      line({rest_.data(), size}, true, replies);
      rest_.clear();
    }
  }
  if (ended_) rest_.clear();
  route_.restart();  // the batches are the caller's now, and groups go with their requests
  return !ended_;
}

}  // namespace varve::protocol::opentsdb
