# SPDX-License-Identifier: Apache-2.0
"""Writers of numbered things to a server that is killed while they write."""

import threading


class Progress:
    """How many batches all writers have had acknowledged."""

    def __init__(self):
        self.condition = threading.Condition()
        self.batches = 0

    def step(self):
        with self.condition:
            self.batches += 1
            self.condition.notify_all()

    def wait_for(self, batches, seconds=30):
        with self.condition:
            return self.condition.wait_for(lambda: self.batches >= batches, seconds)


class Writer(threading.Thread):
    """Writes batch after batch until one is not acknowledged, from `first` on. `send` gets the numbers of a batch, and says
    whether they were acknowledged. `sent` and `acknowledged` are the numbers at which the next batch begins."""

    def __init__(self, name, send, progress, batch, first=0):
        super().__init__(daemon=True)
        self.what, self.send, self.progress, self.batch = name, send, progress, batch
        self.sent = self.acknowledged = first
        self.fault = None

    def run(self):
        try:
            while True:
                numbers = range(self.sent, self.sent + self.batch)
                self.sent += self.batch
                if not self.send(numbers):
                    return
                self.acknowledged += self.batch
                self.progress.step()
        except OSError:
            pass  # killed
        except Exception as e:  # pylint: disable=broad-except
            self.fault = e

    def end(self, case):
        """After the kill."""
        self.join(30)
        case.assertFalse(self.is_alive())
        case.assertIsNone(self.fault)
