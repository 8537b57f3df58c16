"""A real server in a process of its own, as `prowess serve` starts it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from queue import Empty, Queue

ROOT = Path(__file__).parents[3]
SECONDS = 60.0  # to start in, on a busy machine


class Server:
    """Can be killed, and started again at the same address."""

    def __init__(self, store: str, *options: str) -> None:
        self.store, self.options = store, options
        self.token = ""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start, and wait until it says that it serves."""
        words = ["-m", "prowess", "serve", "--store", self.store, "--port", str(self.port), "-q"]
        self.process = subprocess.Popen(
            [sys.executable, *words, *self.options], cwd=ROOT, stderr=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": "src"},
        )  # fmt: skip
        self.lines: Queue[str] = Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        said = ""
        while "Prowess serves" not in said:
            try:
                line = self.lines.get(timeout=SECONDS)
            except Empty:
                line = ""
            said += line
            if not line:
                self.stop(signal.SIGKILL)
                raise RuntimeError(f"the server did not start:\n{said}")
        if found := re.search(r"prw_[\w-]{43}", said):
            self.token = found[0]

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it; its exit code."""
        self.process.send_signal(how)
        code = self.process.wait(timeout=SECONDS)
        self.reader.join()
        if self.process.stderr is not None:
            self.process.stderr.close()
        return code

    def _read(self) -> None:
        """Pass lines on, an empty one at the end."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.put(line)
        self.lines.put("")
