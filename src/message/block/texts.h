// SPDX-License-Identifier: Apache-2.0
// Texts of a block that is read: templates, the order in which texts stand, frames.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "message/block/bitmap.h"
#include "message/block/columns.h"
#include "message/block/frame.h"
#include "message/block/word_filter.h"

namespace varve::message::block {

class Texts {
 public:
  explicit Texts(Columns& columns) : columns_(columns) {}

  struct Templates {
    PartBytes held;
    Terms patterns;                      // of ids kFirstTemplate + i
    std::vector<std::uint32_t> letters;  // of their variables
  };
  Result<const Templates*> templates();
  // Which words stand in which templates, by hash_of_word().
  struct TemplateWords {
    std::vector<std::uint64_t> hashes;     // sorted
    std::vector<std::uint32_t> starts;     // of each word's templates; behind the last: all
    std::vector<std::uint16_t> templates;  // of ids kFirstTemplate + i; ascending
    [[nodiscard]] std::span<const std::uint16_t> with(std::uint64_t hash) const;
    [[nodiscard]] bool has(std::uint64_t hash) const { return !with(hash).empty(); }
  };
  // nullptr: nobody keeps them, so that it is quicker to look into the templates.
  Result<const TemplateWords*> template_words();

  // The texts of one template that follow one another in one frame.
  struct Run {
    std::uint32_t id = 0;              // of facet template
    std::uint32_t begin = 0, end = 0;  // places
    bool wanted = true;
  };
  // Where texts stand: those of a template in the order of rows.
  struct Order {
    std::vector<std::uint16_t> rows;    // by place
    std::vector<std::uint32_t> starts;  // place of the first text of each template's id; behind the last: all texts
    std::vector<std::uint32_t> firsts;  // place of each frame's first text; behind the last: all texts
    [[nodiscard]] std::size_t frames() const { return firsts.size() - 1; }
    [[nodiscard]] std::size_t frame_of(std::uint32_t place) const;
    // Of a row with a text of the template with this id.
    [[nodiscard]] std::uint32_t place_of(std::uint32_t id, std::uint32_t row) const;
    [[nodiscard]] std::vector<Run> runs(std::size_t frame) const;
  };
  Result<const Order*> order();
  // Wants the runs that have a place for which `is_asked(place)`. False: none has.
  template <class IsAsked>
  static bool want_runs(std::span<Run> runs, const IsAsked& is_asked) {
    bool any = false;
    for (Run& run : runs) {
      run.wanted = false;
      for (std::uint32_t place = run.begin; !run.wanted && place < run.end; ++place) run.wanted = is_asked(place);
      any |= run.wanted;
    }
    return any;
  }

  // How many bytes the text of each row of `among` has; 0 for the others.
  Result<std::vector<std::uint32_t>> lengths(const Bitmap& among);
  // With the runs that are wanted of `runs`, which are all of this frame. Valid until another one is asked for. Small
  // ones are kept.
  Result<const Frame*> frame(std::size_t number, std::span<const Run> runs);
  // Of a word with this hash. nullptr: no text has words that are in filters.
  Result<const WordFilter*> filter(std::uint64_t word_hash);

 private:
  Columns& columns_;
  Result<std::shared_ptr<TemplateWords>> read_template_words();
  Result<std::shared_ptr<Order>> read_order();
  std::shared_ptr<const Templates> templates_;
  std::shared_ptr<const TemplateWords> template_words_;
  std::shared_ptr<const Order> order_;
  struct HeldFrame {
    std::shared_ptr<const Templates> templates;
    Frame frame;
  };
  std::shared_ptr<const HeldFrame> frame_;
  std::size_t frame_number_ = 0;
  struct HeldFilter {
    PartBytes bytes;
    WordFilter filter;
  };
  std::map<std::size_t, HeldFilter> filters_;
};

}  // namespace varve::message::block
