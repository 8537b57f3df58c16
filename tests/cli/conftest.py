"""Small tables for the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import CONTESTS, GAMES


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """Four games of three players."""
    file = tmp_path / "games.csv"
    file.write_text(GAMES, encoding="utf-8")
    return file


@pytest.fixture
def contests(tmp_path: Path) -> Path:
    """Two races of four drivers."""
    file = tmp_path / "races.csv"
    file.write_text(CONTESTS, encoding="utf-8")
    return file
