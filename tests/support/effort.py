# SPDX-License-Identifier: Apache-2.0
"""How long a random test goes on, and from which seed: a few steady seconds in the normal run, as long as asked with
`run.py --faults --seconds=600 --seed=7`."""

import os
import random
import time

LONG = "FAULTS_SECONDS" in os.environ


def seconds(short, long):
    """`short` in the normal run; else what was asked for, or `long`."""
    return float(os.environ["FAULTS_SECONDS"] or long) if LONG else short


def seed(short=1):
    """Fixed in the normal run; else what was asked for, or one of chance."""
    if not LONG:
        return short
    return int(os.environ.get("FAULTS_SEED") or random.SystemRandom().randrange(1, 1 << 30))


def seeds(short, long_seconds):
    """Those of `short` in the normal run; else one after the other until the time is over, at least one."""
    if not LONG:
        yield from short
        return
    number, end = seed(), time.monotonic() + seconds(0, long_seconds)
    yield number
    while time.monotonic() < end:
        number += 1
        yield number


def again(seed_, name):
    return f"again: ./dev test --faults --seed={seed_} --seconds=1 {name}"
