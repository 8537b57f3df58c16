"""A rating that is killed at random moments and resumed, against one that was left alone."""

from __future__ import annotations

import random
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from large.measure import command_script, environment, measure


def digest_board(board: Path) -> str:
    """The digest of a leaderboard that was written."""
    return measure(command_script("ratings", board)).output.strip()


def kill_and_resume(rating: Sequence[str], kills: int, seed: int) -> str:
    """One line of what was found; SystemExit where the digests differ.

    A run lives for a random part of the seconds that it needs, and is then killed with SIGKILL. One
    that ends before its kill counts as whole: its digest is compared, and another begins.
    """
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        board = Path(name) / "ratings.parquet"
        rating = [*rating, "--output", str(board)]
        alone = measure(rating)
        expected = digest_board(board)
        killed = whole = 0
        began = time.perf_counter()
        while killed < kills or not whole:
            run = Path(name) / f"run-{whole}"
            board.unlink(missing_ok=True)
            every = ["--resume", str(run), "--checkpoint-every", str(alone.seconds / 20)]
            child = subprocess.Popen(
                [*rating, *every],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                env=environment(),
            )
            patience = moments.uniform(0.0, alone.seconds / 3) if killed < kills else None
            try:
                _, errors = child.communicate(timeout=patience)
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                killed += 1
                continue
            if child.returncode:
                raise SystemExit(f"resumed after {killed} kills: {errors.strip()[-500:]}")
            if (found := digest_board(board)) != expected:
                raise SystemExit(f"{found} after {killed} kills, {expected} without")
            whole += 1
    return (
        f"digest {expected} alone in {alone.seconds:.1f} s; the same of {whole} runs that were"
        f" killed {killed} times in all, {time.perf_counter() - began:.1f} s together"
    )
