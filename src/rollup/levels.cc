// SPDX-License-Identifier: Apache-2.0
#include "rollup/levels.h"

#include <numeric>

namespace varve::rollup {
namespace {

std::string ms(std::int64_t v) {
  if (v % 86'400'000 == 0) return std::to_string(v / 86'400'000) + "d";
  if (v % 3'600'000 == 0) return std::to_string(v / 3'600'000) + "h";
  if (v % 60'000 == 0) return std::to_string(v / 60'000) + "m";
  if (v % 1000 == 0) return std::to_string(v / 1000) + "s";
  return std::to_string(v) + "ms";
}

}  // namespace

Kind Levels::kind_of(std::string_view metric) const {
  for (const std::string& suffix : counter_suffixes) {
    if (!suffix.empty() && metric.ends_with(suffix)) return Kind::counter;
  }
  return Kind::gauge;
}

Status Levels::check(std::int64_t slot_width_ms) const {
  std::int64_t from_raw = 1;  // least common multiple of what is built from raw samples
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::int64_t width = levels[i].width_ms;
    if (i > 0 && (width <= levels[i - 1].width_ms || width % levels[i - 1].width_ms != 0)) {
      return fail(Code::invalid, "rollups: " + ms(width) + " is not a multiple of " + ms(levels[i - 1].width_ms) +
                                     ", of which it would be made; " +
                                     ms((width / levels[i - 1].width_ms + 1) * levels[i - 1].width_ms) + " would do");
    }
    if (width <= slot_width_ms) from_raw = std::lcm(from_raw, width);
  }
  if (slot_width_ms % from_raw != 0) {
    return fail(Code::invalid, "slots.width is " + ms(slot_width_ms) + ", but must be a multiple of " + ms(from_raw) +
                                   " for the rollups that are built from raw samples; " +
                                   ms((slot_width_ms / from_raw + 1) * from_raw) + " would do");
  }
  for (const Level& level : levels) {
    if (level.width_ms > slot_width_ms && level.width_ms % slot_width_ms != 0) {
      return fail(Code::invalid, "rollups: " + ms(level.width_ms) +
                                     " is wider than slots.width and must be a multiple of " + ms(slot_width_ms) +
                                     "; " + ms((level.width_ms / slot_width_ms + 1) * slot_width_ms) + " would do");
    }
  }
  if (!levels.empty() && levels[0].width_ms > slot_width_ms) {
    return fail(Code::invalid, "rollups: the finest, " + ms(levels[0].width_ms) + ", is wider than slots.width, " +
                                   ms(slot_width_ms) + "; slots.width=" + ms(levels[0].width_ms) + " would do");
  }
  return {};
}

}  // namespace varve::rollup
