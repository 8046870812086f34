// SPDX-License-Identifier: Apache-2.0
// Conditions on texts. A template answers for all of its texts, if it can; then the word filter says in which frames an
// answer may be; texts of the others are put together and asked one by one.
#include <algorithm>
#include <optional>
#include <span>

#include "base/ascii.h"
#include "message/block/ahead.h"
#include "message/block/find.h"
#include "message/block/literals.h"
#include "message/block/piece_filter.h"
#include "message/block/template.h"
#include "message/matches.h"
#include "message/words.h"

namespace varve::message::block {
namespace {

enum class Verdict : std::uint8_t { none, all, read };

// Asks templates.
class TemplateJudge {
 public:
  explicit TemplateJudge(const Term& term) : term_(term), literals_(literals_of(term)) {
    if (term.op == Op::equal || term.op == Op::not_equal) splits_ = splitter_.split(term.text);
  }

  // `letters`: of its variables. `words`: if texts are to be read, words that their variables have.
  [[nodiscard]] Verdict judge(std::string_view pattern, std::uint32_t letters, std::vector<std::string>& words) const {
    words.clear();
    const bool varies = pattern.contains(kVariable);
    switch (term_.op) {
      case Op::word: return judge_word(pattern, letters, words);
      case Op::word_prefix:
        if (has_word_prefix(pattern, term_.text)) return Verdict::all;
        return varies && within(term_.text, letters) ? Verdict::read : Verdict::none;
      case Op::in_range:
      case Op::not_in_range: return Verdict::none;
      case Op::equal:
      case Op::not_equal:
        if (!splits_ || splitter_.pattern() != pattern) return Verdict::none;
        break;
      case Op::contains:
        if (!term_.text.contains(kVariable) && pattern.contains(term_.text)) return Verdict::all;
        break;
      case Op::prefix: {
        const std::string_view begin = pattern.substr(0, pattern.find(kVariable));
        if (term_.text.size() <= begin.size()) return begin.starts_with(term_.text) ? Verdict::all : Verdict::none;
        if (!term_.text.starts_with(begin)) return Verdict::none;
        break;
      }
      case Op::regex: break;
    }
    if (!varies) return cell_fulfils(term_, pattern) ? Verdict::all : Verdict::none;
    return may_have(pattern, letters, words) ? Verdict::read : Verdict::none;
  }

  // A text. Its pieces are looked for first: an expression takes ten times as long.
  [[nodiscard]] bool fulfils(std::string_view text) const {
    if (term_.op == Op::regex) {
      const auto has = [text](const std::string& piece) { return has_piece(text, piece); };
      if (!std::ranges::all_of(literals_.texts, has)) return false;
    }
    return cell_fulfils(term_, text);
  }

  // Words that no template has: if they are in no frame, the term is fulfilled by none.
  [[nodiscard]] std::vector<std::string> variables() const {
    std::vector<std::string> variables = words();
    const auto has_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::erase_if(variables, [&](const std::string& word) {
      return term_.op == Op::word ? std::ranges::none_of(word, has_digit) : !is_variable(word);
    });
    return variables;
  }

  // Could a text's word that is this one be a variable?
  [[nodiscard]] bool may_vary(std::string_view word) const {
    return term_.op == Op::word ? may_be_variable(word) : is_variable(word);
  }

  [[nodiscard]] const Literals& literals() const { return literals_; }

  // Words of plain texts that fulfil the term.
  [[nodiscard]] std::vector<std::string> words() const {
    if (term_.op == Op::word) return {term_.text};
    return literals_.words;
  }

 private:
  static bool within(std::string_view part, std::uint32_t letters) { return (letters_of(part) & ~letters) == 0; }

  Verdict judge_word(std::string_view pattern, std::uint32_t letters, std::vector<std::string>& words) const {
    if (has_word(pattern, term_.text)) return Verdict::all;
    if (!pattern.contains(kVariable) || !may_be_variable(term_.text) || !within(term_.text, letters)) {
      return Verdict::none;
    }
    words.push_back(term_.text);
    return Verdict::read;
  }

  // Could a text of the template have all pieces?
  bool may_have(std::string_view pattern, std::uint32_t letters, std::vector<std::string>& words) const {
    const auto fits = [&](const PieceForm& form) {
      return (form.letters & ~letters) == 0 && has_piece(pattern, form.pattern);
    };
    const auto has = [&](const std::vector<PieceForm>& forms) { return std::ranges::any_of(forms, fits); };
    if (!std::ranges::all_of(literals_.pieces, has)) return false;
    std::ranges::copy_if(literals_.words, std::back_inserter(words), is_variable);
    return true;
  }

  const Term& term_;
  Literals literals_;
  Splitter splitter_;
  bool splits_ = false;
};

class TextFinder {
 public:
  TextFinder(const Term& term, const Bitmap& among, Columns& columns, Texts& texts)
      : among_(among), columns_(columns), texts_(texts), judge_(term) {}

  Result<Bitmap> find() {
    Bitmap found(columns_.rows());
    frames_ = columns_.head().directory.count(PartKind::text_frame);
    VARVE_ASSIGN_OR_RETURN(bool may, some_frame_has(judge_.variables()));
    if (!may) return found;
    VARVE_ASSIGN_OR_RETURN(may, may_be_without_templates());
    if (!may) return found;
    VARVE_RETURN_IF_ERROR(judge_templates());
    const bool some = std::ranges::find(verdicts_, Verdict::all) != verdicts_.end();
    const bool read = std::ranges::find(verdicts_, Verdict::read) != verdicts_.end();
    if (!some && !read) return found;
    VARVE_ASSIGN_OR_RETURN(const Texts::Order* const order, texts_.order());
    for (std::size_t id = 0; id < verdicts_.size(); ++id) {
      if (verdicts_[id] != Verdict::all) continue;
      for (std::uint32_t place = order->starts[id]; place < order->starts[id + 1]; ++place) {
        found.set(order->rows[place]);
      }
    }
    if (read) VARVE_RETURN_IF_ERROR(read_texts(*order, found));
    return found;
  }

 private:
  Result<bool> some_frame_has(const std::vector<std::string>& words) {
    VARVE_ASSIGN_OR_RETURN(const auto frames, frames_with(words));
    return std::ranges::find(frames, 1) != frames.end();
  }

  // Words that no template has are variables, or in plain texts. False: none of the texts has them all.
  Result<bool> may_be_without_templates() {
    std::vector<std::string> words = judge_.words();
    if (words.empty()) return true;
    VARVE_ASSIGN_OR_RETURN(template_words_, texts_.template_words());
    if (template_words_ == nullptr) return true;
    std::erase_if(words, [&](const std::string& word) { return template_words_->has(hash_of_word(lower(word))); });
    if (words.empty()) return true;
    return some_frame_has(words);
  }

  // Templates with the same words to look for have the same frames.
  Status judge_templates() {
    verdicts_.assign(columns_.head().limits()[kFacetTemplate], Verdict::none);
    frames_of_.assign(verdicts_.size(), 0);
    verdicts_[kPlainText] = Verdict::read;
    VARVE_RETURN_IF_ERROR(choose_frames(kPlainText, judge_.words()));
    VARVE_ASSIGN_OR_RETURN(const Texts::Templates* const templates, texts_.templates());
    std::vector<std::string> words;
    const auto judge = [&](std::size_t t) -> Status {
      const std::size_t id = t + kFirstTemplate;
      verdicts_[id] = judge_.judge(templates->patterns[t], templates->letters[t], words);
      return verdicts_[id] == Verdict::read ? choose_frames(id, words) : Status{};
    };
    if (const auto some = templates_with_words()) {
      for (const std::uint16_t t : *some) VARVE_RETURN_IF_ERROR(judge(t));
      return {};
    }
    for (std::size_t t = 0; t < templates->patterns.size(); ++t) VARVE_RETURN_IF_ERROR(judge(t));
    return {};
  }

  // Words that cannot be variables stand in the templates of all texts that have them. The fewest of these templates;
  // nullopt: nothing is known of them.
  [[nodiscard]] std::optional<std::span<const std::uint16_t>> templates_with_words() const {
    std::optional<std::span<const std::uint16_t>> fewest;
    if (template_words_ == nullptr) return fewest;
    for (const std::string& word : judge_.words()) {
      if (judge_.may_vary(word)) continue;
      const auto some = template_words_->with(hash_of_word(lower(word)));
      if (!fewest || some.size() < fewest->size()) fewest = some;
    }
    return fewest;
  }

  Status choose_frames(std::size_t id, const std::vector<std::string>& words) {
    const auto known = std::ranges::find(choices_, words, &Choice::words);
    frames_of_[id] = static_cast<std::size_t>(known - choices_.begin());
    if (known == choices_.end()) {
      VARVE_ASSIGN_OR_RETURN(auto frames, frames_with(words));
      choices_.push_back({words, std::move(frames)});
    }
    if (choices_[frames_of_[id]].none()) verdicts_[id] = Verdict::none;
    return {};
  }

  // Frames that may have all of the words, as variables or in plain texts.
  Result<std::vector<std::uint8_t>> frames_with(const std::vector<std::string>& words) {
    std::vector<std::uint8_t> frames(frames_, 1);
    for (const std::string& word : words) {
      if (word.size() < kFilterWordMin) continue;
      const std::uint64_t hash = hash_of_word(lower(word));
      VARVE_ASSIGN_OR_RETURN(const WordFilter* const filter, texts_.filter(hash));
      for (std::size_t f = 0; f < frames_; ++f) {
        if (frames[f] == 0) continue;
        if (filter == nullptr || !filter->may_have(hash, static_cast<std::uint32_t>(f))) frames[f] = 0;
      }
    }
    return frames;
  }

  // Frames that have a text which is asked.
  [[nodiscard]] std::vector<std::uint8_t> frames_to_read(const Texts::Order& order) const {
    std::vector<std::uint8_t> frames(frames_);
    for (std::size_t id = 0; id < verdicts_.size(); ++id) {
      const std::uint32_t first = order.starts[id], end = order.starts[id + 1];
      if (verdicts_[id] != Verdict::read || first == end) continue;
      const std::vector<std::uint8_t>& may = choices_[frames_of_[id]].frames;
      for (std::size_t f = order.frame_of(first), last = order.frame_of(end - 1); f <= last; ++f) frames[f] |= may[f];
    }
    return frames;
  }

  // The runs of the frame, with those that are asked wanted.
  [[nodiscard]] std::vector<Texts::Run> runs_of(const Texts::Order& order, std::size_t frame) const {
    auto runs = order.runs(frame);
    for (Texts::Run& run : runs) {
      const auto is_asked = [this](std::uint16_t row) { return among_.test(row); };
      const auto rows = std::span(order.rows).subspan(run.begin, run.end - run.begin);
      run.wanted = verdicts_[run.id] == Verdict::read && choices_[frames_of_[run.id]].frames[frame] != 0 &&
                   std::ranges::any_of(rows, is_asked);
    }
    return runs;
  }

  Status read_texts(const Texts::Order& order, Bitmap& found) {
    auto frames = frames_to_read(order);
    std::vector<std::vector<Texts::Run>> runs(frames_);
    Ahead ahead(columns_);
    for (std::size_t f = 0; f < frames_; ++f) {
      if (frames[f] == 0) continue;
      runs[f] = runs_of(order, f);
      frames[f] = std::ranges::any_of(runs[f], &Texts::Run::wanted) ? 1 : 0;
      if (frames[f] != 0) ahead.frame(f);
    }
    ahead.fetch();
    VARVE_ASSIGN_OR_RETURN(const Texts::Templates* const templates, texts_.templates());
    for (std::size_t f = 0; f < frames_; ++f) {
      if (frames[f] == 0) continue;
      VARVE_ASSIGN_OR_RETURN(const Frame* const frame, texts_.frame(f, runs[f]));
      for (const Texts::Run& run : runs[f]) {
        if (!run.wanted) continue;
        std::optional<PieceFilter> filter;
        if (run.id != kPlainText)
          filter.emplace(judge_.literals().pieces, templates->patterns[run.id - kFirstTemplate]);
        read_run(order, run, *frame, order.firsts[f], filter, found);
      }
    }
    return {};
  }

  void read_run(const Texts::Order& order, const Texts::Run& run, const Frame& frame, std::uint32_t first,
                const std::optional<PieceFilter>& filter, Bitmap& found) {
    for (std::uint32_t place = run.begin; place < run.end; ++place) {
      const std::uint32_t row = order.rows[place];
      if (!among_.test(row) || (filter && !filter->may_have_all(frame, place - first, buffer_))) continue;
      found.set_if(row, judge_.fulfils(frame.text(place - first, buffer_)));
    }
  }

  struct Choice {
    std::vector<std::string> words;
    std::vector<std::uint8_t> frames;
    [[nodiscard]] bool none() const { return std::ranges::find(frames, 1) == frames.end(); }
  };

  const Bitmap& among_;
  Columns& columns_;
  Texts& texts_;
  TemplateJudge judge_;
  const Texts::TemplateWords* template_words_ = nullptr;
  std::size_t frames_ = 0;
  std::vector<Verdict> verdicts_;       // by id of facet template
  std::vector<std::size_t> frames_of_;  // which choice
  std::vector<Choice> choices_;
  std::string buffer_;
};

}  // namespace

Result<Bitmap> find_in_text(const Term& term, const Bitmap& among, Columns& columns, Texts& texts) {
  if (columns.head().texts == 0) return Bitmap(columns.rows());
  return TextFinder(term, among, columns, texts).find();
}

}  // namespace varve::message::block
