# SPDX-License-Identifier: Apache-2.0
"""Single tests that take minutes, in files that are otherwise short: run.py --faults runs them, and nothing else does."""

import os
import unittest

only_long = unittest.skipUnless("FAULTS_SECONDS" in os.environ, "takes minutes: --faults")
