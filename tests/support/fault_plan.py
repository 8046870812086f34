# SPDX-License-Identifier: Apache-2.0
"""Which calls fail, how and for how long: drawn from a seed."""

import errno

from . import preload

KINDS = {preload.OPEN: ("ENFILE", "EMFILE", "ENOSPC", "EIO", "EDQUOT"), preload.WRITE: ("ENOSPC", "EIO", "EDQUOT", "short"),
         preload.SYNC: ("EIO", "ENOSPC"), preload.SIZE: ("ENOSPC", "EIO"), preload.NAME: ("ENOSPC", "EIO", "EDQUOT"),
         preload.UNLINK: ("EIO", "EROFS"), preload.CHANGES: ("ENOSPC", "EIO", "EDQUOT", "EROFS", "short"),
         preload.READ: ("EIO",)}
NAMES = {preload.OPEN: "opens", preload.WRITE: "writes", preload.SYNC: "syncs", preload.SIZE: "sizes",
         preload.NAME: "names", preload.UNLINK: "removals", preload.CHANGES: "calls", preload.READ: "reads"}


# About as many as there are in a life of failing_calls_test.
CALLS = {preload.OPEN: 570, preload.WRITE: 1600, preload.SYNC: 1500, preload.SIZE: 220, preload.NAME: 36,
         preload.UNLINK: 540, preload.CHANGES: 4500, preload.READ: 1500}


class Plan:
    """`share` of CALLS is what there may be."""

    def __init__(self, chance, share=1.0, kinds=None):
        changes = [kind for kind in KINDS if kind != preload.READ]
        self.kinds = kinds or chance.choice([preload.CHANGES] * 4 + changes)
        self.error = chance.choice(KINDS[self.kinds])
        self.first = chance.randrange(1, int(CALLS[self.kinds] * share) + 2)
        self.count, self.window_ms = chance.choice([(1, 0), (1, 0), (3, 0), (30, 0), (1, 200), (1, 1500)])
        self.kill = kinds is None and self.count == 1 and not self.window_ms and chance.random() < 0.4

    def arm(self, failing):
        error = "ENOSPC" if self.error == "short" else self.error
        failing.arm(self.first, getattr(errno, error), self.count, self.window_ms, self.kinds, self.error == "short", self.kill)

    def __str__(self):
        how = "kills" if self.kill else self.error
        long = f" for {self.window_ms} ms" if self.window_ms else f" and {self.count - 1} more" if self.count > 1 else ""
        return f"{how} at number {self.first} of the {NAMES[self.kinds]}{long}"
