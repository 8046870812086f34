# SPDX-License-Identifier: Apache-2.0
"""Is the program under test built with a sanitizer? Then it is several times slower, and its memory is not what a user's is."""

import os
import unittest

IS_SANITIZED = os.environ.get("SANITIZED") == "1"  # run.py looks at the program
SLOWER = 4  # so many times
TIMES_SLOWER = SLOWER if IS_SANITIZED else 1


def is_sanitized(program):
    with open(program, "rb") as f:
        return b"__asan_init" in f.read()


def skip_what_measures_memory():
    if IS_SANITIZED:
        raise unittest.SkipTest("memory is not measured under a sanitizer, which takes several times as much")
