// SPDX-License-Identifier: Apache-2.0
#include "message/block/text_writer.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "message/words.h"

namespace varve::message::block {
namespace {

// A template of fewer texts is not one: its texts are stored plain.
constexpr std::size_t kTemplateTextsMin = 4;
// Bytes of variables and of plain texts in a frame.
constexpr std::size_t kFrameBytes = 128 << 10;
// How many texts ahead their variables are fetched.
constexpr std::size_t kAhead = 12;
constexpr std::size_t kCacheLine = 64;

class TextWriter {
 public:
  TextWriter(Gathered& gathered, Packer& packer, PartWriter& parts)
      : gathered_(gathered), texts_(gathered.texts.texts), packer_(packer), parts_(parts) {}

  std::size_t write() {
    choose_templates();
    sort_texts();
    write_frames();
    Bytes& templates = parts_.add(PartKind::templates);
    if (!templates_.empty()) {
      packer_.terms(templates_, templates);
      packer_.bytes(chunk::Coder::quick, std::as_bytes(std::span(letters_)), templates);
    }
    std::vector<std::int64_t> firsts(first_texts_.begin(), first_texts_.end());
    packer_.numbers(firsts, parts_.add(PartKind::text_index));
    filter_.write(parts_);
    return templates_.size();
  }

 private:
  // Texts get the ids of facet template.
  void choose_templates() {
    const auto& patterns = gathered_.texts.patterns.terms();
    std::vector<std::uint32_t> counts(patterns.size());
    for (const auto& text : texts_) {
      if (text.pattern != GatheredTexts::kNone) ++counts[text.pattern];
    }
    std::vector<std::uint32_t> kept;
    for (std::uint32_t p = 0; p < patterns.size(); ++p) {
      if (counts[p] >= kTemplateTextsMin) kept.push_back(p);
    }
    std::ranges::sort(kept, {}, [&](std::uint32_t p) { return patterns[p]; });
    std::vector<std::uint32_t> ids(patterns.size(), kPlainText);
    for (std::uint32_t i = 0; i < kept.size(); ++i) {
      ids[kept[i]] = kFirstTemplate + i;
      templates_.push_back(patterns[kept[i]]);
    }
    auto& facet = gathered_.facets[kFacetTemplate];
    facet.resize(gathered_.rows);
    for (const auto& text : texts_)
      facet[text.row] = text.pattern == GatheredTexts::kNone ? kPlainText : ids[text.pattern];
    letters_.resize(templates_.size());
  }

  // By template, then by row; the id of each beside it, as what is beside it in order_ lies anywhere in texts_.
  void sort_texts() {
    const auto& ids = gathered_.facets[kFacetTemplate];
    std::vector<std::uint32_t> starts(kFirstTemplate + templates_.size() + 1);
    for (const auto& text : texts_) ++starts[ids[text.row] + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    order_.resize(texts_.size());
    for (std::uint32_t t = 0; t < texts_.size(); ++t) {
      const std::uint32_t id = ids[texts_[t].row];
      order_[starts[id]++] = {t, id};
    }
  }

  void write_frames() {
    std::size_t begin = 0;  // of the run
    std::size_t bytes = 0;  // of the frame
    first_texts_ = {0};
    for (std::size_t i = 0; i < order_.size(); ++i) {
      bytes += bytes_of_text(order_[i]);
      const bool full = bytes >= kFrameBytes;
      const bool last = i + 1 == order_.size();
      if (!full && !last && order_[i].id == order_[i + 1].id) continue;
      write_run(begin, i + 1);
      begin = i + 1;
      if (!full && !last) continue;
      writer_.finish(packer_, parts_.add(PartKind::text_frame, first_texts_.size() - 1));
      if (!last) first_texts_.push_back(static_cast<std::uint32_t>(begin));
      bytes = 0;
    }
  }

  // A text and the id of its template.
  struct Ordered {
    std::uint32_t text;
    std::uint32_t id;
  };

  [[nodiscard]] std::size_t bytes_of_text(Ordered at) const {
    return at.id == kPlainText ? texts_[at.text].text.size() + 1 : texts_[at.text].bytes;
  }

  void write_run(std::size_t begin, std::size_t end) {
    const auto frame = static_cast<std::uint32_t>(first_texts_.size() - 1);
    const std::uint32_t id = order_[begin].id;
    if (id == kPlainText) {
      values_.clear();
      for (std::size_t i = begin; i < end; ++i) {
        const std::string_view text = texts_[order_[i].text].text;
        values_.push_back(text);
        any_word(text, [&](std::string_view word) {
          filter_.add(word, frame);
          return false;
        });
      }
      return writer_.add_plain(values_);
    }
    const std::size_t columns = texts_[order_[begin].text].count;
    if (columns_.size() < columns) columns_.resize(columns);
    for (std::size_t v = 0; v < columns; ++v) columns_[v].clear();
    for (std::size_t i = begin; i < end; ++i) {
      if (i + kAhead < end) fetch_ahead(texts_[order_[i + kAhead].text]);
      add_variables(texts_[order_[i].text]);
    }
    for (std::size_t v = 0; v < columns; ++v) {
      filter_.add(columns_[v], frame);
      letters_[id - kFirstTemplate] |= writer_.add_column(columns_[v]);
    }
  }

  // Texts of a template lie far apart, so the processor cannot guess what is read next: waiting for memory was half of
  // the time of this class.
  void fetch_ahead(const GatheredTexts::Text& text) const {
    __builtin_prefetch(gathered_.texts.sizes.data() + text.first);
    const std::byte* const variables = gathered_.texts.variables.view().data() + text.at;
    __builtin_prefetch(variables);
    if (text.bytes > kCacheLine) __builtin_prefetch(variables + kCacheLine);
  }

  // To the columns of its run.
  void add_variables(const GatheredTexts::Text& text) {
    std::string_view rest = text_of(gathered_.texts.variables.view().subspan(text.at, text.bytes));
    const auto sizes = std::span(gathered_.texts.sizes).subspan(text.first, text.count);
    for (std::size_t v = 0; v < sizes.size(); ++v) {
      columns_[v].add(rest.substr(0, sizes[v]));
      rest.remove_prefix(sizes[v]);
    }
  }

  Gathered& gathered_;
  const std::vector<GatheredTexts::Text>& texts_;
  Packer& packer_;
  PartWriter& parts_;
  std::vector<std::string_view> templates_;
  std::vector<std::uint32_t> letters_;
  std::vector<Ordered> order_;
  std::vector<std::uint32_t> first_texts_;  // of each frame
  std::vector<std::string_view> values_;    // of a run of plain texts
  std::vector<WordColumn> columns_;         // of another run
  FrameWriter writer_;
  WordFilterWriter filter_;
};

}  // namespace

std::size_t write_texts(Gathered& gathered, Packer& packer, PartWriter& parts) {
  if (gathered.texts.texts.empty()) return 0;
  return TextWriter(gathered, packer, parts).write();
}

}  // namespace varve::message::block
