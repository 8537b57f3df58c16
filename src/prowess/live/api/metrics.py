"""What a monitoring system asks for, in Prometheus' text form (version 0.0.4)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable
from threading import Lock

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class Metrics:
    """Counts of requests, and how long they took."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.requests: Counter[tuple[str, str, int]] = Counter()
        self.seconds: defaultdict[str, list[int]] = defaultdict(lambda: [0] * (len(BOUNDS) + 1))
        self.total: defaultdict[str, float] = defaultdict(float)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Note a request that was answered; methods that nobody knows are one."""
        method = method if method in METHODS else "other"
        with self.lock:
            self.requests[method, route, status] += 1
            self.seconds[route][bisect_left(BOUNDS, seconds)] += 1
            self.total[route] += seconds

    def text(self, gauges: Iterable[tuple[str, str, dict[str, str], float]]) -> str:
        """Everything; `gauges` are (name, help, labels, value), those of a name together."""
        lines = [
            "# HELP prowess_requests_total Requests that were answered.",
            "# TYPE prowess_requests_total counter",
        ]
        with self.lock:
            for (method, route, status), n in sorted(self.requests.items()):
                labels = labelled({"method": method, "route": route, "status": str(status)})
                lines.append(f"prowess_requests_total{labels} {n}")
            name = "prowess_request_seconds"
            lines += [f"# HELP {name} Time to an answer.", f"# TYPE {name} histogram"]
            for route, counts in sorted(self.seconds.items()):
                so_far = 0
                for bound, n in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                    so_far += n
                    labels = labelled({"route": route, "le": bound})
                    lines.append(f"{name}_bucket{labels} {so_far}")
                labels = labelled({"route": route})
                lines.append(f"{name}_sum{labels} {self.total[route]:.6f}")
                lines.append(f"{name}_count{labels} {so_far}")
        told = ""
        for name, about, label, value in gauges:
            if name != told:
                lines += [f"# HELP {name} {about}", f"# TYPE {name} gauge"]
                told = name
            lines.append(f"{name}{labelled(label)} {value!r}")
        return "\n".join(lines) + "\n"


def labelled(labels: dict[str, str]) -> str:
    """Labels in braces, values escaped as the form demands."""
    if not labels:
        return ""
    inner = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return f"{{{inner}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
