// SPDX-License-Identifier: Apache-2.0
// Functions that change labels: label_replace, label_join; label_set, label_del, label_keep of MetricsQL.
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/regex.h"
#include "language/promql/families.h"
#include "language/promql/merging.h"

namespace varve::language::promql {
namespace {

using ChangeLabels = std::function<Status(Labels& labels)>;

// What a function makes, however often a template repeats what it is made of.
constexpr std::size_t kMadeValueMax = std::size_t{1} << 20;
Status check_made(std::size_t bytes) {
  if (bytes <= kMadeValueMax) return {};
  return fail(Code::limit,
              "a label value of " + std::to_string(bytes) + " bytes; at most " + std::to_string(kMadeValueMax));
}

// $1, ${1}, $name, ${name} and $$; a $ that is none of them is itself. A group that there is not is empty.
class LabelTemplate {
 public:
  LabelTemplate(std::string_view text, const CapturingRegex& regex) {
    while (!text.empty()) {
      const std::size_t dollar = std::min(text.find('$'), text.size());
      add_text(text.substr(0, dollar));
      text.remove_prefix(dollar);
      if (text.empty()) break;
      if (text.starts_with("$$")) {
        add_text("$");
        text.remove_prefix(2);
      } else if (const std::string_view name = reference(text); name.empty()) {
        add_text("$");
        text.remove_prefix(1);
      } else {
        parts_.push_back({{}, regex.group(name), true});
      }
    }
  }

  // Error: limit.
  [[nodiscard]] Result<std::string> of(const std::vector<std::string_view>& groups) const {
    const auto text_of_part = [&groups](const Part& part) -> std::string_view {
      if (!part.is_group) return part.text;
      return part.group && *part.group < groups.size() ? groups[*part.group] : std::string_view();
    };
    std::size_t bytes = 0;
    for (const Part& part : parts_) bytes += text_of_part(part).size();
    VARVE_RETURN_IF_ERROR(check_made(bytes));
    std::string out;
    for (const Part& part : parts_) out += text_of_part(part);
    return out;
  }

 private:
  struct Part {
    std::string text;
    std::optional<std::size_t> group;
    bool is_group = false;
  };

  void add_text(std::string_view text) {
    if (!text.empty()) parts_.push_back({std::string(text), {}, false});
  }
  static bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  // What stands behind the dollar is taken from the text; empty: nothing that is a name, and nothing is taken.
  static std::string_view reference(std::string_view& text) {
    const bool braces = text.size() > 1 && text[1] == '{';
    const std::size_t start = braces ? 2 : 1;
    std::size_t end = start;
    while (end < text.size() && is_word(text[end])) ++end;
    if (braces && (end == text.size() || text[end] != '}')) return {};
    const std::string_view name = text.substr(start, end - start);
    if (!name.empty()) text.remove_prefix(end + (braces ? 1 : 0));
    return name;
  }

  std::vector<Part> parts_;
};

Status invalid_label(std::string_view which, std::string_view function, std::string_view name) {
  return fail(Code::invalid,
              "invalid " + std::string(which) + " label name in " + std::string(function) + "(): " + std::string(name));
}

Result<ChangeLabels> label_replace(const std::vector<std::string_view>& words) {
  auto regex = CapturingRegex::compile(words[3]);
  if (!regex) return fail(Code::invalid, "invalid regular expression in label_replace(): " + std::string(words[3]));
  if (words[0].empty()) return fail(invalid_label("destination", "label_replace", words[0]).error());
  return [to = words[0], from = words[2], regex = *regex,
          text = LabelTemplate(words[1], *regex)](Labels& labels) -> Status {
    const auto groups = regex.groups(label_of(labels, from));
    if (!groups) return Status();
    VARVE_ASSIGN_OR_RETURN(const std::string made, text.of(*groups));
    set_label(labels, to, made);
    return Status();
  };
}

Result<ChangeLabels> label_join(const std::vector<std::string_view>& words) {
  if (words[0].empty()) return fail(invalid_label("destination", "label_join", words[0]).error());
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i].empty()) return fail(invalid_label("source", "label_join", words[i]).error());
  }
  return [words](Labels& labels) -> Status {
    std::size_t bytes = 0;
    for (std::size_t i = 2; i < words.size(); ++i) bytes += words[1].size() + label_of(labels, words[i]).size();
    VARVE_RETURN_IF_ERROR(check_made(bytes));
    std::string joined;
    for (std::size_t i = 2; i < words.size(); ++i) {
      if (i > 2) joined += words[1];
      joined += label_of(labels, words[i]);
    }
    set_label(labels, words[0], joined);
    return {};
  };
}

Result<ChangeLabels> label_set(const std::vector<std::string_view>& words) {
  if (words.size() % 2 != 0) return fail(Code::invalid, "label_set() needs a value for each label");
  for (std::size_t i = 0; i < words.size(); i += 2) {
    if (words[i].empty()) return fail(invalid_label("destination", "label_set", words[i]).error());
  }
  return [words](Labels& labels) -> Status {
    for (std::size_t i = 0; i < words.size(); i += 2) set_label(labels, words[i], words[i + 1]);
    return {};
  };
}

ChangeLabels label_filter(const std::vector<std::string_view>& words, bool keeps) {
  return [words, keeps](Labels& labels) -> Status {
    std::erase_if(labels,
                  [&](const auto& label) { return (std::ranges::find(words, label.first) != words.end()) != keeps; });
    return {};
  };
}

Result<ChangeLabels> label_change(FunctionId function, const std::vector<std::string_view>& words) {
  switch (function) {
    case FunctionId::label_replace: return label_replace(words);
    case FunctionId::label_join: return label_join(words);
    case FunctionId::label_set: return label_set(words);
    default: return label_filter(words, function == FunctionId::label_keep);
  }
}

}  // namespace

Status call_label_function(const CallOf& of) {
  std::vector<std::string_view> words;
  for (std::size_t i = 1; i < of.call.arguments.size(); ++i) words.push_back(Evaluation::string(of.argument(i)));
  VARVE_ASSIGN_OR_RETURN(const ChangeLabels change, label_change(of.call.function, words));
  Distinct distinct(of.evaluation);
  return of.evaluation.each(of.argument(0), of.steps, [&](Series&& one) -> Status {
    VARVE_RETURN_IF_ERROR(of.evaluation.spend(one.labels.size()));
    VARVE_RETURN_IF_ERROR(change(one.labels));
    VARVE_RETURN_IF_ERROR(distinct.add(one.labels));
    return of.sink(std::move(one));
  });
}

}  // namespace varve::language::promql
