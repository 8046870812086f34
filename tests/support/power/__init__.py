# SPDX-License-Identifier: Apache-2.0
"""Power cuts: what was called (recorder.c), and what a disk has of it (disk.py)."""
