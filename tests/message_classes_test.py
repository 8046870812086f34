# SPDX-License-Identifier: Apache-2.0
"""Classes of messages: each is kept as long as it is said, and goes by its own time."""

import json
import time
import unittest

from support.case import OwnServerCase
from support.logs import SECOND, Logs, now_us

WANTED = 30  # seconds
SMALL = {"slots.width": "1s", "slots.quiet": "1s", "rollups": "", "messages.retention": "1h"}


class Classes(OwnServerCase):
    def wait(self, what, wanted):
        deadline = time.monotonic() + WANTED
        while what() != wanted and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(what(), wanted)

    def test_each_goes_by_its_own_time(self):
        server = self.new_server({**SMALL, "messages.classes": "brief:3s:type=Brief*,kept:1d:objects=ObjectVNTable:a:*"}).start()
        logs = Logs(server)
        logs.put({"type": "BriefLog", "text": "brief"}, {"type": "Log", "text": "default"},
                 {"type": "BriefLog", "text": "brief, too", "objects": ["ObjectVNTable:a:b"]},
                 {"objects": ["ObjectVNTable:a:b"], "text": "kept"})
        self.assertEqual(len(logs.texts()), 4)
        server.settle()
        self.wait(lambda: sorted(logs.texts()), ["default", "kept"])
        server.restart()
        self.assertEqual(sorted(logs.texts()), ["default", "kept"])

    def test_too_old_for_its_class(self):
        server = self.new_server({**SMALL, "messages.classes": "brief:1m:type=Brief,kept:2h:type=Kept"}).start()
        logs = Logs(server)
        ages = [("Brief", 30), ("Brief", 90), (None, 90), ("Kept", 5400), (None, 5400), ("Kept", 8000)]
        lines = [{"time": now_us() - age * SECOND, "text": f"{name} {age}"} | ({"type": name} if name else {}) for name, age in ages]
        answer = logs.post(lines)
        self.assertEqual(answer.status, 400)
        errors = {e["line"]: e["error"] for e in json.loads(answer.body)["errors"]}
        self.assertEqual(sorted(errors), [2, 5, 6])
        self.assertIn("older than messages.classes keep 'brief'", errors[2])
        self.assertIn("older than messages.retention", errors[5])
        self.assertIn("all of messages.classes", errors[6])
        self.assertEqual(sorted(logs.texts()), ["Brief 30", "Kept 5400", "None 90"])

    def test_another_configuration(self):
        server = self.new_server({**SMALL, "messages.classes": "one:1d:type=One,two:1d:type=Two"}).start()
        logs = Logs(server)
        logs.put({"type": "One", "text": "one"}, {"type": "Two", "text": "two"}, {"text": "none"})
        server.settle()
        logs.put({"type": "One", "text": "hot"})
        for classes in ("two:1d:type=Two", "", "three:1d:type=*x,one:2d:type=One"):
            server.kill()
            server.config["messages.classes"] = classes
            server.start()
            self.assertEqual(sorted(logs.texts()), ["hot", "none", "one", "two"])


if __name__ == "__main__":
    unittest.main()
