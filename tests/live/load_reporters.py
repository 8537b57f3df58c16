"""Clients that report, correct and resend without end, and insist on an answer to everything."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from prowess.live.client import Away, Client, Outbox, Problem
from prowess.live.client.client import Data
from tests.live.load_ledger import COUNTS, VOID, Ledger, Meant

PATIENCE = 120.0  # seconds without a server
BIG = 400  # results
KNOWN = 300  # results that a client remembers
LATER = {"nothing_changes", "wrong_state"}  # said to a change that has taken effect before


class Reporter(Thread):
    """One client after the other act, each until the server has answered."""

    def __init__(self, number: int, ledger: Ledger, url: str, token: str, seed: int) -> None:
        super().__init__(name=f"reporter {number}", daemon=True)
        self.number, self.ledger, self.seed = number, ledger, random.Random(seed)
        self.client = Client(url, token, timeout=60.0)
        self.end, self.big = Event(), Event()
        self.error: BaseException | None = None
        self.own: dict[int, Meant] = {}  # acknowledged and with numbers of its own
        self._sent = 0
        self._lost = False  # whether what is being asked may have been taken before

    def run(self) -> None:
        """Act until the end; an act that was begun is finished."""
        acts: list[tuple[Callable[[], None], int]] = [
            (self.single, 8), (self.keyed, 4), (self.batch, 4), (self.skipping, 1),
            (self.refused, 1), (self.again, 3), (self.otherwise, 1), (self.corrected, 3),
            (self.voided, 2), (self.restored, 2),
        ]  # fmt: skip
        try:
            while not self.end.is_set():
                if self.big.is_set():
                    self.big.clear()
                    self.batch(BIG)
                else:
                    self.seed.choices([act for act, _ in acts], [share for _, share in acts])[0]()
        except BaseException as error:
            self.error = error
        finally:
            self.client.close()

    # -- acts --

    def single(self) -> None:
        """Report one game by its own number."""
        one = self._game()
        self._recorded(one, self._insisted(lambda: self.client.submit(one.said)))

    def keyed(self) -> None:
        """Report a game without a number; the key of the request stands for it."""
        one, key = self._game(named=False), self._key()
        self._recorded(one, self._insisted(lambda: self.client.submit(one.said, key=key)))

    def batch(self, size: int | None = None) -> None:
        """Report many at once, with a key that stays or with a new one each time."""
        games = [self._game() for _ in range(size or self.seed.randint(2, 30))]
        key = self._key() if self.seed.random() < 0.5 else None
        said = [one.said for one in games]
        answer = self._insisted(lambda: self.client.submit_many(said, key=key))
        self._all_recorded(games, answer)

    def skipping(self) -> None:
        """Report some good ones and a bad one, which is left out."""
        games = [self._game() for _ in range(3)]
        bad = self._game(taken=False)
        said = [games[0].said, bad.said, games[1].said, games[2].said]
        answer = self._insisted(lambda: self.client.submit_many(said, on_error="skip"))
        assert answer["results"].pop(1)["status"] == "refused"
        self._all_recorded(games, answer)
        self.ledger.noted("refused")

    def refused(self) -> None:
        """Report some of which one is bad: none is taken."""
        games = [self._game(taken=False), self._game(), self._game()]
        for one in games:
            one.versions.clear()
        said = [one.said for one in games]
        problem = self._problem(lambda: self.client.submit_many(said))
        assert (problem.status, problem.code) == (422, "self_play"), problem
        self.ledger.noted("refused", len(games))

    def again(self) -> None:
        """Report what is acknowledged already: it has the same number, and counts once."""
        if one := self._chosen():
            answer = self._insisted(lambda: self.client.submit(one.said))
            assert answer["status"] == "already", answer
            self._recorded(one, answer)

    def otherwise(self) -> None:
        """Report what is acknowledged already, but not the same: that is no way to correct."""
        if one := self._chosen():
            other = one.said | {"score": 0.25}
            problem = self._problem(lambda: self.client.submit(other))
            assert (problem.status, problem.code) == (409, "duplicate"), problem
            self.ledger.noted("refused")

    def corrected(self) -> None:
        """Correct a score."""
        if one := self._chosen():
            state, score = one.versions[-1]
            other = self.seed.choice([k for k in (0.0, 0.5, 1.0) if k != score])
            self._change(
                one, state, other,
                lambda: self.client.correct(one.number or 0, one.said | {"score": other}),
            )  # fmt: skip

    def voided(self) -> None:
        """Make a result void."""
        if (one := self._chosen()) and one.versions[-1][0] == COUNTS:
            self._change(one, VOID, one.versions[-1][1], lambda: self.client.void(one.number or 0))

    def restored(self) -> None:
        """Let a void result count again."""
        void = [one for one in self.own.values() if one.versions[-1][0] == VOID]
        if void:
            one, key = self.seed.choice(void), self._key()
            self._change(
                one, COUNTS, one.versions[-1][1],
                lambda: self.client.restore(one.number or 0, key=key),
            )  # fmt: skip

    # -- how --

    def _game(self, *, taken: bool = True, named: bool = True) -> Meant:
        one = self.ledger.game(self.seed.choice(self.ledger.categories), taken=taken)
        if named:
            one.said["external_id"] = self._key()
        return one

    def _key(self) -> str:
        self._sent += 1
        return f"{self.number}/{self._sent}"

    def _chosen(self) -> Meant | None:
        """One of its results that has a number of its own."""
        return self.seed.choice(list(self.own.values())) if self.own else None

    def _recorded(self, one: Meant, answer: Data) -> None:
        self.ledger.acknowledged(one, answer["id"])
        if "external_id" in one.said:
            self.own[answer["id"]] = one
            if len(self.own) > KNOWN:
                self.own.pop(next(iter(self.own)))

    def _all_recorded(self, games: list[Meant], answer: Data) -> None:
        assert len(answer["results"]) == len(games)
        for one, row in zip(games, answer["results"], strict=True):
            assert row["status"] in ("recorded", "already"), row
            self._recorded(one, row)

    def _change(self, one: Meant, state: str, score: float, ask: Callable[[], Data]) -> None:
        """Change a result; resent after it took effect it is refused, because it is so already."""
        self.ledger.changes(one, state, score)
        try:
            self._insisted(ask)
        except Problem as problem:
            if problem.code not in LATER or not self._lost:
                raise
            self.ledger.noted("changed before")
        self.ledger.changed(one)

    def _problem(self, ask: Callable[[], Data]) -> Problem:
        """The refusal that comes; an acceptance is an error."""
        try:
            answer = self._insisted(ask)
        except Problem as problem:
            return problem
        raise AssertionError(f"not refused: {answer}")

    def _insisted(self, ask: Callable[[], Data]) -> Data:
        """Ask until there is an answer to what was asked."""
        patience = time.monotonic() + PATIENCE
        self._lost = False
        while True:
            try:
                answer = ask()
            except Away:
                self._lost = True
                self.ledger.noted("lost")
            except Problem as problem:
                if problem.status not in {429, 503} or not problem.retry_after:
                    raise
                self._lost |= problem.status == 503
                self.ledger.noted(f"answered {problem.status}")
            else:
                self.ledger.noted("answered")
                return answer
            if time.monotonic() > patience:
                raise TimeoutError("no server for too long")
            time.sleep(self.seed.uniform(0.01, 0.05))


class Poster(Thread):
    """Puts results into an outbox, which sends them when it can."""

    def __init__(self, ledger: Ledger, path: Path, url: str, token: str) -> None:
        super().__init__(name="poster", daemon=True)
        self.ledger, self.queue = ledger, Outbox(path)
        self.client = Client(url, token, timeout=60.0)
        self.end, self.stop = Event(), Event()
        self.sender = Thread(
            target=self.queue.run, args=(self.client, self.stop, 0.02), daemon=True
        )
        self.put: list[Meant] = []
        self.error: BaseException | None = None

    def run(self) -> None:
        """Put until the end, then wait until everything is acknowledged."""
        try:
            self.sender.start()
            while not self.end.wait(0.05):
                games = [self.ledger.game(self.ledger.categories[0]) for _ in range(3)]
                for number, one in enumerate(games):
                    one.said["external_id"] = f"outbox/{len(self.put) + number}"
                self.queue.put_many(one.said for one in games)
                self.put += games
            left, patience = len(self.queue), time.monotonic() + PATIENCE
            while left and time.monotonic() < patience:
                time.sleep(0.02)
                if left > (left := len(self.queue)):
                    patience = time.monotonic() + PATIENCE
            assert left == 0
            assert self.queue.refusals() == []
            for one in self.put:
                one.acknowledged = 1
        except BaseException as error:
            self.error = error
        finally:
            self.stop.set()
            self.sender.join()
            self.client.close()
