"""The base of all errors for users: each has a code for programs, which stays when words change."""

from __future__ import annotations

import re


class ProwessError(Exception):
    """What the library refuses: `code` says why, in words_like_these, stable and for programs.

    A message may be worded anew in any version; a code is not. An error that is raised without
    one has the name of its class. `docs/reference/errors.md` lists all codes.

    >>> class TooShort(ProwessError, ValueError):
    ...     pass
    >>> TooShort("give more games", code="too_few_games").code, TooShort("give more").code
    ('too_few_games', 'too_short')
    """

    code = "refused"

    def __init_subclass__(cls) -> None:
        cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, *args: object, code: str | None = None) -> None:
        super().__init__(*args)
        if code is not None:
            self.code = code
