// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "message/block/block.h"
#include "message/block/columns.h"
#include "message/block/fields.h"
#include "message/block/texts.h"

namespace varve::message::block {

struct Block::State {
  State(std::shared_ptr<const Sections> sections, std::shared_ptr<const Head> head)
      : columns(std::move(sections), std::move(head)) {}
  Columns columns;
  Fields fields{columns};
  Texts texts{columns};
};

}  // namespace varve::message::block
