// SPDX-License-Identifier: Apache-2.0
#include "protocol/otlp/translation.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "protocol/messages/words.h"

namespace varve::protocol::otlp {
namespace {

using Word = std::pair<std::string_view, std::string_view>;

constexpr Word kUnitWords[] = {
    {"d", "days"},          {"h", "hours"},        {"min", "minutes"},   {"s", "seconds"},      {"ms", "milliseconds"},
    {"us", "microseconds"}, {"ns", "nanoseconds"}, {"By", "bytes"},      {"KiBy", "kibibytes"}, {"MiBy", "mebibytes"},
    {"GiBy", "gibibytes"},  {"TiBy", "tibibytes"}, {"KBy", "kilobytes"}, {"MBy", "megabytes"},  {"GBy", "gigabytes"},
    {"TBy", "terabytes"},   {"m", "meters"},       {"V", "volts"},       {"A", "amperes"},      {"J", "joules"},
    {"W", "watts"},         {"g", "grams"},        {"Cel", "celsius"},   {"Hz", "hertz"},       {"1", ""},
    {"%", "percent"}};

// Behind the slash.
constexpr Word kPerWords[] = {{"s", "second"}, {"m", "minute"}, {"h", "hour"}, {"d", "day"},
                              {"w", "week"},   {"mo", "month"}, {"y", "year"}};

constexpr bool is_digit_of_name(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
// Of metrics; `_` stands between words.
constexpr bool is_in_word(char c) { return is_letter_of_name(c) || is_digit_of_name(c) || c == ':'; }
// The bytes of a character behind its first.
constexpr bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string word_of_unit(std::string_view unit, std::span<const Word> words) {
  const auto found = std::ranges::find(words, unit, &Word::first);
  return std::string(found != words.end() ? found->second : unit);
}

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// {packets} is an annotation, no unit.
bool is_unit(std::string_view text) { return !text.empty() && text.find_first_of("{}") == std::string_view::npos; }

// By/s: bytes and per_second.
struct UnitSuffixes {
  std::string main;
  std::string per;

  explicit UnitSuffixes(std::string_view unit) {
    const std::size_t slash = unit.find('/');
    const std::string_view before = without_spaces(unit.substr(0, slash));
    if (is_unit(before)) main = word_of_unit(before, kUnitWords);
    if (slash == std::string_view::npos) return;
    const std::string_view behind = without_spaces(unit.substr(slash + 1));
    if (is_unit(behind)) per = "per_" + word_of_unit(behind, kPerWords);
  }
};

// What cannot stand in a name is _ , of several in a row one, and none is in front.
std::string escaped_unit(std::string_view unit) {
  std::string out;
  for (const char c : unit) {
    if (is_in_word(c)) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  return out;
}

template <class IsInWord>
std::vector<std::string> words_of_name(std::string_view name, const IsInWord& is_in) {
  std::vector<std::string> words;
  bool is_first = true;
  for (const char c : name) {
    if (!is_in(c)) {
      is_first = true;
      continue;
    }
    if (std::exchange(is_first, false)) words.emplace_back();
    words.back() += c;
  }
  return words;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : "_") + word;
  if (!out.empty() && is_digit_of_name(out[0])) out.insert(0, 1, '_');
  return out;
}

void add_unit_words(std::vector<std::string>& words, std::string_view unit) {
  UnitSuffixes suffixes(unit);
  std::string main = escaped_unit(suffixes.main);
  std::string per = escaped_unit(suffixes.per);
  const auto drop_last = [](std::string& word) {
    if (word.ends_with('_')) word.pop_back();
  };
  if (per == "per_") per.clear();
  drop_last(per);
  if (!per.empty()) drop_last(main);
  for (std::string* word : {&main, &per}) {
    if (!word->empty() && std::ranges::find(words, *word) == words.end()) words.push_back(*word);
  }
}

// At the end, wherever it stood before.
void move_to_end(std::vector<std::string>& words, std::string_view word) {
  std::erase(words, word);
  words.emplace_back(word);
}

bool is_ratio(std::string_view unit, MetricKind kind) { return unit == "1" && kind == MetricKind::gauge; }

std::string escaped_name(std::string_view name, std::string_view unit, MetricKind kind) {
  std::vector<std::string> words = words_of_name(name, is_in_word);
  add_unit_words(words, unit);
  if (kind == MetricKind::counter) move_to_end(words, "total");
  if (is_ratio(unit, kind)) move_to_end(words, "ratio");
  return joined_words(words);
}

// A suffix that is there already is taken off, with what stands in front of it.
std::string_view without_suffix(std::string_view name, std::string_view suffix) {
  if (name.ends_with(suffix) && name.size() > suffix.size() + 1) name.remove_suffix(suffix.size() + 1);
  return name;
}

std::string suffixed_name(std::string_view name, std::string_view unit, MetricKind kind) {
  const UnitSuffixes suffixes(unit);
  std::string end;
  if (is_ratio(unit, kind)) {
    name = without_suffix(name, "ratio");
    end = "_ratio";
  }
  if (kind == MetricKind::counter) {
    name = without_suffix(name, "total");
    end = "_total";
  }
  if (!suffixes.per.empty()) {
    name = without_suffix(name, suffixes.per);
    end.insert(0, "_" + suffixes.per);
  }
  std::string out(name);
  if (!suffixes.main.empty() && !name.ends_with(suffixes.main)) out += "_" + suffixes.main;
  return out + end;
}

std::unexpected<Error> nothing_left(std::string_view what, std::string_view name) {
  return fail(Code::invalid, std::string(what) + " '" + messages::shorten(name) + "' leaves no name");
}

// What is _ only was something else, or it is meant so.
bool leaves_nothing(std::string_view made, std::string_view from) {
  return made.empty() || (made != from && made.find_first_not_of('_') == std::string_view::npos);
}

}  // namespace

Result<std::string> metric_name(std::string_view name, std::string_view unit, MetricKind kind,
                                Translation translation) {
  if (name.empty()) return fail(Code::invalid, "the metric has no name");
  if (!translation.escapes) return translation.adds_suffixes ? suffixed_name(name, unit, kind) : std::string(name);
  const auto is_in_name = [](char c) { return is_in_word(c) || c == '_'; };
  std::string made =
      translation.adds_suffixes ? escaped_name(name, unit, kind) : joined_words(words_of_name(name, is_in_name));
  if (leaves_nothing(made, name)) return nothing_left("the metric name", name);
  return made;
}

Result<std::string> label_name(std::string_view attribute, Translation translation) {
  if (attribute.empty()) return fail(Code::invalid, "an attribute has no name");
  if (!translation.escapes) return std::string(attribute);
  std::string made;
  for (const char c : attribute) {
    if (is_letter_of_name(c) || is_digit_of_name(c) || c == '_') {
      made += c;
    } else if (!continues_character(c)) {
      made += '_';
    }
  }
  if (made.empty()) return nothing_left("the attribute name", attribute);
  if (is_digit_of_name(made[0])) {
    made.insert(0, "key_");
  } else if (made.starts_with('_') && !made.starts_with("__")) {
    made.insert(0, "key");
  }
  if (leaves_nothing(made, attribute)) return nothing_left("the attribute name", attribute);
  return made;
}

}  // namespace varve::protocol::otlp
