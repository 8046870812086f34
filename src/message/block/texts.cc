// SPDX-License-Identifier: Apache-2.0
#include "message/block/texts.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/ascii.h"
#include "message/words.h"

namespace varve::message::block {
namespace {

// A question for few texts of many blocks is often asked again; one for many would only push out what others need.
constexpr std::size_t kKeptFrameBytesMax = std::size_t{64} << 10;

}  // namespace

Result<const Texts::Templates*> Texts::templates() {
  if (templates_ != nullptr) return templates_.get();
  const auto make = [&]() -> Result<std::shared_ptr<Templates>> {
    auto read = std::make_shared<Templates>();
    const std::size_t count = columns_.head().templates;
    if (count == 0) return read;
    VARVE_ASSIGN_OR_RETURN(read->held, columns_.part(PartKind::templates));
    Cursor from = read->held.cursor();
    Bytes letters;
    if (!read->patterns.read_all(from, count) || !read_packed(from, letters) ||
        letters.size() != count * sizeof(std::uint32_t)) {
      return fail(corrupt_part(PartKind::templates));
    }
    read->letters.resize(count);
    std::memcpy(read->letters.data(), letters.data(), letters.size());
    return read;
  };
  const auto bytes = [](const Templates& one) {
    return one.held.bytes.size() + one.patterns.bytes() + one.letters.size() * sizeof(std::uint32_t);
  };
  VARVE_ASSIGN_OR_RETURN(templates_, decoded<Templates>(columns_.sections(), DecodedKind::templates, 0, make, bytes));
  return templates_.get();
}

std::span<const std::uint16_t> Texts::TemplateWords::with(std::uint64_t hash) const {
  const auto at = std::ranges::lower_bound(hashes, hash);
  if (at == hashes.end() || *at != hash) return {};
  const auto word = static_cast<std::size_t>(at - hashes.begin());
  return std::span(templates).subspan(starts[word], starts[word + 1] - starts[word]);
}

Result<std::shared_ptr<Texts::TemplateWords>> Texts::read_template_words() {
  VARVE_ASSIGN_OR_RETURN(const Templates* const templates, this->templates());
  std::vector<std::pair<std::uint64_t, std::uint16_t>> pairs;
  std::string lowered;
  for (std::size_t t = 0; t < templates->patterns.size(); ++t) {
    const std::size_t before = pairs.size();
    any_word(templates->patterns[t], [&](std::string_view word) {
      lowered.assign(word);
      std::ranges::transform(lowered, lowered.begin(), [](char c) { return lower(c); });
      pairs.emplace_back(hash_of_word(lowered), static_cast<std::uint16_t>(t));
      return false;
    });
    const auto own = std::ranges::subrange(pairs.begin() + static_cast<std::ptrdiff_t>(before), pairs.end());
    std::ranges::sort(own);
    pairs.erase(std::ranges::unique(own).begin(), pairs.end());
  }
  std::ranges::sort(pairs);
  auto words = std::make_shared<TemplateWords>();
  for (const auto& [hash, t] : pairs) {
    if (words->hashes.empty() || words->hashes.back() != hash) {
      words->hashes.push_back(hash);
      words->starts.push_back(static_cast<std::uint32_t>(words->templates.size()));
    }
    words->templates.push_back(t);
  }
  words->starts.push_back(static_cast<std::uint32_t>(words->templates.size()));
  return words;
}

Result<std::vector<std::uint32_t>> Texts::lengths(const Bitmap& among) {
  std::vector<std::uint32_t> lengths(columns_.rows());
  if (columns_.head().texts == 0) return lengths;
  VARVE_ASSIGN_OR_RETURN(const Order* const order, this->order());
  for (std::size_t f = 0; f < order->frames(); ++f) {
    auto runs = order->runs(f);
    const auto is_asked = [&](std::uint32_t place) { return among.test(order->rows[place]); };
    if (!want_runs(runs, is_asked)) continue;
    VARVE_ASSIGN_OR_RETURN(const Frame* const read, frame(f, runs));
    for (const Run& run : runs) {
      for (std::uint32_t place = run.begin; run.wanted && place < run.end; ++place) {
        if (is_asked(place))
          lengths[order->rows[place]] = static_cast<std::uint32_t>(read->size(place - runs[0].begin));
      }
    }
  }
  return lengths;
}

Result<const Texts::TemplateWords*> Texts::template_words() {
  if (template_words_ != nullptr || !columns_.sections().keeps_decoded()) return template_words_.get();
  const auto make = [&] { return read_template_words(); };
  const auto bytes = [](const TemplateWords& words) {
    return words.hashes.capacity() * sizeof(std::uint64_t) + words.starts.capacity() * sizeof(std::uint32_t) +
           words.templates.capacity() * sizeof(std::uint16_t);
  };
  VARVE_ASSIGN_OR_RETURN(template_words_,
                         decoded<TemplateWords>(columns_.sections(), DecodedKind::template_words, 0, make, bytes));
  return template_words_.get();
}

std::size_t Texts::Order::frame_of(std::uint32_t place) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(firsts, place) - firsts.begin()) - 1;
}

std::uint32_t Texts::Order::place_of(std::uint32_t id, std::uint32_t row) const {
  const auto first = rows.begin() + starts[id], end = rows.begin() + starts[id + 1];
  return static_cast<std::uint32_t>(std::lower_bound(first, end, row) - rows.begin());
}

std::vector<Texts::Run> Texts::Order::runs(std::size_t frame) const {
  std::vector<Run> runs;
  const std::uint32_t stop = firsts[frame + 1];
  for (std::uint32_t begin = firsts[frame]; begin < stop; begin = runs.back().end) {
    const auto behind = std::ranges::upper_bound(starts, begin);
    runs.push_back({static_cast<std::uint32_t>(behind - starts.begin()) - 1, begin, std::min(*behind, stop)});
  }
  return runs;
}

Result<std::shared_ptr<Texts::Order>> Texts::read_order() {
  VARVE_ASSIGN_OR_RETURN(const FacetColumn ids, columns_.facet(kFacetTemplate));
  const std::size_t rows = columns_.rows(), texts = columns_.head().texts;
  auto made = std::make_shared<Order>();
  std::vector<std::uint32_t>& starts = made->starts;
  starts.resize(columns_.head().limits()[kFacetTemplate] + 1);
  for (std::size_t row = 0; row < rows; ++row) ++starts[ids[row] + 1];
  const std::size_t without = starts[1];
  starts[1] = 0;
  if (rows - without != texts) return fail(corrupt_part(PartKind::entries));
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> next = starts;
  made->rows.resize(texts);
  for (std::uint32_t row = 0; row < rows; ++row) {
    static_assert(kRowsMax <= std::numeric_limits<std::uint16_t>::max() + 1);
    if (const std::uint32_t id = ids[row]; id != kNoText) made->rows[next[id]++] = static_cast<std::uint16_t>(row);
  }
  const std::size_t frames = columns_.head().directory.count(PartKind::text_frame);
  std::vector<std::int64_t> firsts;
  if (texts != 0) {
    VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::text_index));
    Cursor from = bytes.cursor();
    if (frames == 0 || !read_numbers(from, frames, firsts) || firsts[0] != 0) {
      return fail(corrupt_part(PartKind::text_index));
    }
  }
  for (std::size_t f = 0; f < firsts.size(); ++f) {
    const auto next_first = f + 1 < firsts.size() ? firsts[f + 1] : static_cast<std::int64_t>(texts);
    if (firsts[f] < 0 || firsts[f] >= next_first) return fail(corrupt_part(PartKind::text_index));
    made->firsts.push_back(static_cast<std::uint32_t>(firsts[f]));
  }
  made->firsts.push_back(static_cast<std::uint32_t>(texts));
  return made;
}

Result<const Texts::Order*> Texts::order() {
  if (order_ != nullptr) return order_.get();
  const auto bytes = [](const Order& order) {
    return order.rows.size() * sizeof(std::uint16_t) +
           (order.starts.size() + order.firsts.size()) * sizeof(std::uint32_t);
  };
  VARVE_ASSIGN_OR_RETURN(
      order_, decoded<Order>(columns_.sections(), DecodedKind::order, 0, [&] { return read_order(); }, bytes));
  return order_.get();
}

Result<const Frame*> Texts::frame(std::size_t number, std::span<const Run> runs) {
  VARVE_ASSIGN_OR_RETURN(const Templates* const templates, this->templates());
  std::vector<FrameRun> parts;
  for (const Run& run : runs) {
    const bool plain = run.id == kPlainText;
    const std::string_view pattern = plain ? std::string_view() : templates->patterns[run.id - kFirstTemplate];
    parts.push_back({run.id, run.end - run.begin, pattern, run.wanted});
  }
  if (frame_ != nullptr && frame_number_ == number && frame_->frame.has(parts)) return &frame_->frame;
  const Sections& sections = columns_.sections();
  const std::uint32_t name = decoded_name(DecodedKind::frame, number);
  if (auto kept = std::static_pointer_cast<const HeldFrame>(sections.decoded(name)); kept && kept->frame.has(parts)) {
    frame_ = std::move(kept);
  } else {
    VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::text_frame, number));
    const auto read = std::make_shared<HeldFrame>(templates_);
    if (!read->frame.read(bytes.cursor(), parts)) return fail(corrupt_part(PartKind::text_frame));
    const std::size_t size = read->frame.bytes();
    if (sections.keeps_decoded() && size <= kKeptFrameBytesMax) sections.keep_decoded(name, read, size);
    frame_ = read;
  }
  frame_number_ = number;
  return &frame_->frame;
}

Result<const WordFilter*> Texts::filter(std::uint64_t word_hash) {
  const std::size_t filters = columns_.head().directory.count(PartKind::word_filter);
  if (filters == 0) return nullptr;
  const std::size_t number = word_hash % filters;
  auto known = filters_.find(number);
  if (known == filters_.end()) {
    HeldFilter read;
    VARVE_ASSIGN_OR_RETURN(read.bytes, columns_.part(PartKind::word_filter, number));
    if (!read.filter.read(read.bytes.cursor())) return fail(corrupt_part(PartKind::word_filter));
    known = filters_.emplace(number, std::move(read)).first;
  }
  return &known->second.filter;
}

}  // namespace varve::message::block
