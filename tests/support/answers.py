# SPDX-License-Identifier: Apache-2.0
"""All that a server says of one metric of a tenant, in one query: samples, and windows of each granularity, by host."""

from .server import KAIROS

DAY_MS = 86_400_000
AGGREGATORS = ("count", "sum", "min", "max")


class Answers:
    def __init__(self, server, tenant, metric, granularities_s, times, tags=None):
        """Of the days around `times` = (first, last)."""
        asked = {"name": metric, "tags": tags or {}, "group_by": [{"name": "tag", "tags": ["host"]}]}
        questions = {"samples": asked}
        for width_s in granularities_s:
            for name in AGGREGATORS:
                questions[width_s, name] = {**asked, "aggregators": [
                    {"name": name, "align_sampling": True, "align_start_time": True,
                     "sampling": {"value": width_s, "unit": "seconds"}}]}
        body = {"start_absolute": times[0] // DAY_MS * DAY_MS, "end_absolute": times[1] + DAY_MS,
                "metrics": list(questions.values())}
        answer = server.post(f"/t/{tenant}{KAIROS}/query", body, timeout=300)
        if answer.status != 200:
            raise AssertionError(f"query: {answer}")
        self._by_host = {question: self._hosts_of(of_question["results"])
                         for question, of_question in zip(questions, answer.json()["queries"])}

    @staticmethod
    def _hosts_of(results):
        hosts = {}
        for result in results:
            if not result["values"]:
                continue
            host, = result["tags"]["host"]
            of_host = hosts.setdefault(host, {})
            for t, v in result["values"]:
                if t in of_host:
                    raise AssertionError(f"{result['name']} of {host}: two values at {t}")
                of_host[t] = v
        return hosts

    def hosts(self):
        return set().union(*self._by_host.values())

    def samples(self, host):
        return self._by_host["samples"].get(host, {})

    def windows(self, host, width_s, name):
        return self._by_host[width_s, name].get(host, {})
