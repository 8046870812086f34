// SPDX-License-Identifier: Apache-2.0
#include "message/block/texts.h"

#include <algorithm>
#include <numeric>

#include "base/ascii.h"
#include "message/words.h"

namespace varve::message::block {

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

Result<std::shared_ptr<Texts::TemplateWords>> Texts::read_template_words() {
  VARVE_ASSIGN_OR_RETURN(const Templates* const templates, this->templates());
  auto words = std::make_shared<TemplateWords>();
  std::vector<std::uint64_t> recent(std::size_t{1} << 14);  // spares most of the repetitions
  std::string lowered;
  for (std::size_t t = 0; t < templates->patterns.size(); ++t) {
    any_word(templates->patterns[t], [&](std::string_view word) {
      lowered.assign(word);
      std::ranges::transform(lowered, lowered.begin(), [](char c) { return lower(c); });
      const std::uint64_t hash = hash_of_word(lowered);
      if (std::uint64_t& known = recent[hash % recent.size()]; known != hash) {
        known = hash;
        words->hashes.push_back(hash);
      }
      return false;
    });
  }
  std::ranges::sort(words->hashes);
  words->hashes.erase(std::ranges::unique(words->hashes).begin(), words->hashes.end());
  words->hashes.shrink_to_fit();
  return words;
}

Result<std::vector<std::uint32_t>> Texts::lengths(const Bitmap& among) {
  std::vector<std::uint32_t> lengths(columns_.rows());
  if (columns_.head().texts == 0) return lengths;
  VARVE_ASSIGN_OR_RETURN(const Order* const order, this->order());
  for (std::size_t f = 0; f < order->frames(); ++f) {
    const Frame* read = nullptr;
    for (std::uint32_t place = order->firsts[f]; place < order->firsts[f + 1]; ++place) {
      const std::uint32_t row = order->rows[place];
      if (!among.test(row)) continue;
      if (read == nullptr) {
        VARVE_ASSIGN_OR_RETURN(read, frame(f));
      }
      lengths[row] = static_cast<std::uint32_t>(read->size(place - order->firsts[f]));
    }
  }
  return lengths;
}

Result<const Texts::TemplateWords*> Texts::template_words() {
  if (template_words_ != nullptr || !columns_.sections().keeps_decoded()) return template_words_.get();
  const auto make = [&] { return read_template_words(); };
  const auto bytes = [](const TemplateWords& words) { return words.hashes.capacity() * sizeof(std::uint64_t); };
  VARVE_ASSIGN_OR_RETURN(template_words_,
                         decoded<TemplateWords>(columns_.sections(), DecodedKind::template_words, 0, make, bytes));
  return template_words_.get();
}

std::size_t Texts::Order::frame_of(std::uint32_t place) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(firsts, place) - firsts.begin()) - 1;
}

Result<const Texts::Order*> Texts::order() {
  if (order_ != nullptr) return order_.get();
  VARVE_ASSIGN_OR_RETURN(const FacetColumn ids, columns_.facet(kFacetTemplate));
  const std::size_t rows = columns_.rows(), texts = columns_.head().texts;
  std::vector<std::uint32_t> starts(columns_.head().limits()[kFacetTemplate] + 1);
  for (std::size_t row = 0; row < rows; ++row) ++starts[ids[row] + 1];
  const std::size_t without = starts[1];
  starts[1] = 0;
  if (rows - without != texts) return fail(corrupt_part(PartKind::entries));
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  auto made = std::make_unique<Order>();
  made->rows.resize(texts);
  made->places.resize(rows);
  made->ids.resize(texts);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t id = ids[row];
    if (id == kNoText) continue;
    const std::uint32_t place = starts[id]++;
    made->rows[place] = row;
    made->places[row] = place;
    made->ids[place] = id;
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
    const auto next = f + 1 < firsts.size() ? firsts[f + 1] : static_cast<std::int64_t>(texts);
    if (firsts[f] < 0 || firsts[f] >= next) return fail(corrupt_part(PartKind::text_index));
    made->firsts.push_back(static_cast<std::uint32_t>(firsts[f]));
  }
  made->firsts.push_back(static_cast<std::uint32_t>(texts));
  order_ = std::move(made);
  return order_.get();
}

Result<const Frame*> Texts::frame(std::size_t number) {
  if (frame_ != nullptr && frame_number_ == number) return frame_.get();
  VARVE_ASSIGN_OR_RETURN(const Order* const order, this->order());
  VARVE_ASSIGN_OR_RETURN(const Templates* const templates, this->templates());
  std::vector<FrameRun> runs;
  for (std::uint32_t place = order->firsts[number]; place < order->firsts[number + 1]; ++place) {
    const std::uint32_t id = order->ids[place];
    if (runs.empty() || runs.back().id != id) {
      runs.push_back({id, 0, id == kPlainText ? std::string_view() : templates->patterns[id - kFirstTemplate]});
    }
    ++runs.back().texts;
  }
  VARVE_ASSIGN_OR_RETURN(const PartBytes bytes, columns_.part(PartKind::text_frame, number));
  auto read = std::make_unique<Frame>();
  if (!read->read(bytes.cursor(), runs)) return fail(corrupt_part(PartKind::text_frame));
  frame_ = std::move(read);
  frame_number_ = number;
  return frame_.get();
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
