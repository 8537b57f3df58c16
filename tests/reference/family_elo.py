"""The Elo family's reference cases."""

from __future__ import annotations

from typing import Any

FAMILIES: dict[str, Any] = {}
