# SPDX-License-Identifier: Apache-2.0
"""The same samples by each protocol: [(metric, tags, time, value), …] of one tenant, and what became of them."""

import http.client
import json

from . import wire
from .client import Telnet, http_request

ACKNOWLEDGED, REFUSED, UNREACHED, UNKNOWN, GIVEN_UP = "acknowledged", "refused", "unreached", "unknown", "given up"
HTTP_FAULTS = (OSError, http.client.HTTPException)


class Odd(Exception):
    """An answer that is neither an acknowledgement nor a refusal in words."""

    def __init__(self, why, answer):
        super().__init__(f"{why}: {answer}")
        self.status = answer.status


def outcome(answer):
    """Of a request that changes something. A refusal says why, and when to come again."""
    if answer.status in (200, 204):
        return ACKNOWLEDGED
    if answer.status in (429, 503):
        if not answer.header("Retry-After"):
            raise Odd("no Retry-After", answer)
        if len(answer.body) < 10:
            raise Odd("no reason", answer)
        return REFUSED
    raise Odd("neither taken nor refused", answer)


def http_outcome(server, method, path, body=None, headers=None, timeout=300):
    """A connection that breaks leaves the outcome open. The time limit is long: a server that is stopped for a while and
    goes on must not find a request of which nobody waits for the answer any more."""
    try:
        answer = http_request(server.port, method, path, body, headers, timeout)
    except ConnectionRefusedError:
        return UNREACHED
    except HTTP_FAULTS:
        return UNKNOWN
    return outcome(answer)


def influx_body(rows):
    lines = []
    for metric, tags, t, v in rows:
        head = ",".join([metric] + [f"{key}={value}" for key, value in tags.items()])
        lines.append(f"{head} value={v}{'i' if isinstance(v, int) else ''} {t}")
    return "\n".join(lines)


def send_influx(server, tenant, rows):
    return http_outcome(server, "POST", f"/t/{tenant}/write?precision=ms", influx_body(rows))


def send_kairosdb(server, tenant, rows):
    series = {}
    for metric, tags, t, v in rows:
        series.setdefault((metric, tuple(tags.items())), []).append([t, v])
    body = [{"name": metric, "tags": dict(tags), "datapoints": points} for (metric, tags), points in series.items()]
    return http_outcome(server, "POST", f"/t/{tenant}/api/v1/datapoints", json.dumps(body))


def send_opentsdb(server, tenant, rows):
    body = [{"metric": metric, "tags": tags, "timestamp": t, "value": v} for metric, tags, t, v in rows]
    return http_outcome(server, "POST", f"/t/{tenant}/api/put", json.dumps(body))


def send_remote_write(server, tenant, rows):
    series = {}
    for metric, tags, t, v in rows:
        series.setdefault((metric, tuple(tags.items())), []).append((t, float(v)))
    body = wire.snappy(wire.write_request([({"__name__": metric, **dict(tags)}, sorted(samples))
                                           for (metric, tags), samples in series.items()]))
    return http_outcome(server, "POST", f"/t/{tenant}/api/v1/write", body,
                        {"Content-Encoding": "snappy", "Content-Type": "application/x-protobuf"})


def send_telnet(server, tenant, rows):
    """Acknowledged is what was sent before a `version` that was answered, if nothing was said before it. An orderly close
    says nothing: the kernel closes the sockets of a killed process the same way when it had read all that was sent."""
    lines = "".join(f"putm {metric} {t} {v} tenant={tenant} {' '.join(f'{key}={value}' for key, value in tags.items())}\n"
                    for metric, tags, t, v in rows)
    try:
        with Telnet(server.telnet_port, timeout=300) as t:
            t.send(lines + "version\n")
            answer = t.read_line()
    except ConnectionRefusedError:
        return UNREACHED
    except (OSError, EOFError):
        return UNKNOWN
    return ACKNOWLEDGED if answer.startswith("KairosDB ") else REFUSED  # an error may name a path


SENDERS = {"influx": send_influx, "kairosdb": send_kairosdb, "opentsdb": send_opentsdb, "remote_write": send_remote_write,
           "telnet": send_telnet}


def delete_range(server, tenant, metric, tags, start, end):
    """Both ends inclusive."""
    body = {"start_absolute": start, "end_absolute": end, "metrics": [{"name": metric, "tags": tags}]}
    try:
        return http_outcome(server, "POST", f"/t/{tenant}/api/v1/datapoints/delete", body)
    except Odd as e:
        if e.status == 500:
            return REFUSED  # what of it is done stays done
        raise
