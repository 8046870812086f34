// SPDX-License-Identifier: Apache-2.0
// Asks a block for everything that there is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "message/block/block.h"
#include "message/block/testing/messages.h"

namespace varve::message::block::testing {

// Sections of which one is another than it was.
class OneChanged final : public Sections {
 public:
  OneChanged(const std::vector<std::string>& good, std::size_t number, std::string changed)
      : good_(good), number_(number), changed_(std::make_shared<const std::string>(std::move(changed))) {}
  [[nodiscard]] Result<std::shared_ptr<const std::string>> read(std::uint32_t section) const override {
    if (section == number_) return changed_;
    if (section >= good_.size()) return fail(Code::corrupt, "no section " + std::to_string(section));
    return std::make_shared<const std::string>(good_[section]);
  }

 private:
  const std::vector<std::string>& good_;
  std::size_t number_;
  std::shared_ptr<const std::string> changed_;
};

// Rebuilds all messages, counts all columns and asks some conditions. The first error.
Status read_all(std::shared_ptr<const Sections> sections);

}  // namespace varve::message::block::testing
