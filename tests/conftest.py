"""How much Hypothesis looks at: `ci` is the same on every run, `dev` searches anew each time."""

from __future__ import annotations

import os
from pathlib import Path

# One thread a process: tests run side by side, and small matrices wait for threads that are busy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings

PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

settings.register_profile("ci", PATIENT, max_examples=60, derandomize=True, database=None)
settings.register_profile("dev", PATIENT, max_examples=30)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# Compiled loops stay inside the checkout, so that a test run leaves nothing elsewhere.
CACHE = Path(__file__).parent.parent / ".cache" / "prowess"
os.environ.setdefault("PROWESS_CACHE", str(CACHE))
