"""Old names lead to the new ones with a warning, and go when their time is over."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import isfunction, signature

import pytest

import prowess
from prowess.live.client import Outbox
from prowess.verbs import judge
from prowess.version import MODULES, RENAMED, NewName, __version__, accept_old_keywords
from tests.cli.command import ROOT, prowess as run
from tests.surface import GAMES, walk_verbs


def read_version(text):
    """The numbers of a version, two of them."""
    return tuple(map(int, text.split(".")[:2]))


def find_overdue(renamed, version):
    """Old names that this version no longer knows."""
    return [old for old, new in renamed.items() if read_version(version) >= read_version(new.until)]


def test_no_old_name_outlives_its_version():
    """An old name leaves `RENAMED` before the version that no longer knows it."""
    assert find_overdue(RENAMED, __version__) == []


@pytest.mark.parametrize(("version", "overdue"), [("0.2.9", []), ("0.3.0", ["x"]), ("1.0", ["x"])])
def test_an_overdue_name_is_found(version, overdue):
    """From the version on that stands beside it a name is overdue (so the law can fail)."""
    assert find_overdue({"x": NewName("y", "0.3")}, version) == overdue


@pytest.mark.parametrize("old", MODULES)
def test_an_old_module_has_the_names_of_the_new_one(old):
    """Each function of the new module is in the old one, with a warning at the line of the use."""
    new = import_module(MODULES[old].name)
    found = import_module(old)
    assert getattr(prowess, old.partition(".")[2]) is found
    names = [name for name, one in vars(new).items() if isfunction(one)]
    assert names
    for name in names:
        with pytest.warns(DeprecationWarning, match=MODULES[old].name) as warned:
            assert getattr(found, name) is getattr(new, name)
        assert warned[0].filename == __file__


def test_an_old_module_warns_of_nothing_that_the_interpreter_asks():
    """What Python, or a pickler, looks for in every module raises no warning."""
    assert not hasattr(import_module("prowess.rating"), "__file__")
    assert not hasattr(import_module("prowess.rating"), "sin")


def test_an_unknown_module_stays_unknown():
    """A module that was never there is refused as Python does."""
    with pytest.raises(ModuleNotFoundError):
        import_module("prowess.ratings")
    with pytest.raises(AttributeError):
        _ = prowess.ratings


@pytest.mark.parametrize("name", [old for old in RENAMED if old.endswith("=)")])
def test_an_old_keyword_is_the_new_one(name):
    """The public function of an old keyword has the new one."""
    function, _, _ = name.removeprefix("prowess.").partition("(")
    assert RENAMED[name].name in signature(getattr(judge, function)).parameters


def test_a_keyword_is_taken_by_its_old_name():
    """The old keyword gives the value of the new one with a warning; both at once stay."""

    @accept_old_keywords
    def compare(*, metric=None, **others):
        return metric, others

    with pytest.warns(DeprecationWarning, match="metric"):
        assert compare(by="brier") == ("brier", {})
    assert compare(metric="brier") == ("brier", {})
    assert compare(by="brier", metric="log_loss") == ("log_loss", {"by": "brier"})


@pytest.mark.parametrize("name", [old for old in RENAMED if " --" in old])
def test_an_old_option_is_the_new_one(name):
    """The verb of an old option has the new one, and none of the old name."""
    _, verb, old = name.split()
    options = {option for one in dict(walk_verbs())[verb].params for option in one.opts}
    assert (RENAMED[name].name in options, old in options) == (True, False)


def test_the_shell_takes_an_old_option(tmp_path):
    """The answer is that of the new option, and a note on stderr says so, once and not with -q."""
    file = tmp_path / "games.csv"
    file.write_text("\n".join(["date,player_a,player_b,result", *GAMES]), encoding="utf-8")
    asked = ("compare", file, "--systems", "elo,base_rate", "--warm-up", 0, "--csv")
    new = run(*asked, "--metric", "brier")
    note = "note: write --metric for prowess compare --by, which works until 0.3"
    for old in (["--by", "brier"], ["--by=brier"]):
        done = run(*asked, *old)
        assert (done.returncode, done.stdout.splitlines()[0]) == (0, new.stdout.splitlines()[0])
        assert done.stderr.splitlines().count(note) == 1
        assert note not in run(*asked, *old, "-q").stderr
    assert run(*asked, "--by", "brier", "--metric", "brier").returncode == 2


def test_the_queue_of_a_client_takes_the_old_name(tmp_path):
    """`queue.refused()` is `queue.refusals()`, with a warning."""
    with pytest.warns(DeprecationWarning, match="refusals"):
        assert Outbox(tmp_path / "results.outbox").refused() == []


def test_the_page_of_versions_lists_the_old_names():
    """Each old name and each new one is on the page, with the version."""
    page = (ROOT / "docs" / "reference" / "versions.md").read_text(encoding="utf-8")
    for old, (new, until) in RENAMED.items():
        last = re.split(r"[ .(]", old.removesuffix(")"))[-1]
        assert last in page, old
        assert new.rpartition(".")[2] in page, new
        assert f"| {until} |" in page
