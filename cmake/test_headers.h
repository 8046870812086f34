// SPDX-License-Identifier: Apache-2.0
// What most tests include. A test still names what it uses.
#pragma once

#include "common_headers.h"

#include <filesystem>
#include <future>
#include <sstream>

#include <gtest/gtest.h>
