"""Killed in the middle: what was acknowledged is there, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter

import pytest

from prowess.live.store.store import open_store
from tests.live.store.facts import line, targets
from tests.live.store.test_opening import ROOT, claimed, environment

CALLERS = 8
WRITES = f"""
import os, sys
from itertools import count
from threading import Thread
from prowess.live.store.store import open_store
from tests.live.store.facts import line

store = open_store(sys.argv[1])
store.claim()

def ask(caller):
    for turn in count():
        store.writer.do(line(f"{{sys.argv[2]}}/{{caller}}/{{turn}}"))
        os.write(1, f"{{sys.argv[2]}}/{{caller}}/{{turn}}\\n".encode())

for caller in range({CALLERS}):
    Thread(target=ask, args=(caller,)).start()
"""


@pytest.mark.parametrize("lives", [4])
def test_killed_under_load(store_url, lives):
    """After SIGKILL every acknowledged job is there exactly once; of the others, one a caller."""
    acknowledged: list[str] = []
    for life in range(lives):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITES, store_url, str(life)],
            stdout=subprocess.PIPE, text=True, env=environment(), cwd=ROOT,
        )  # fmt: skip
        answers = 50 + 37 * life  # so that each life ends elsewhere
        acknowledged += [child.stdout.readline().strip() for _ in range(answers)]
        os.kill(child.pid, signal.SIGKILL)
        acknowledged += [told for told in child.communicate()[0].split("\n")[:-1] if told]
        store = open_store(store_url)
        claimed(store)
        kept = Counter(targets(store))
        store.writer.do(line("alive"))
        store.close()
        kept.pop("alive", None)
        assert set(kept.values()) == {1}
        assert set(acknowledged) <= set(kept)
        assert len(kept) - len(acknowledged) <= CALLERS * (life + 1)
