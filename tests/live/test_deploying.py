"""The samples of `deploy/`: what they start is started here, without the daemons of containers."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.live.load_server import free_port
from tests.programs import find_program

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
STATE = "/var/lib/prowess"
SECONDS = 240.0  # to start in, on a busy machine


def read_image() -> dict[str, list[str]]:
    """The instructions of the Dockerfile, by their words."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word.isupper():
            found.setdefault(word, []).append(rest)
    return found


def ask(url: str) -> Any:
    """What an address answers."""
    with urllib.request.urlopen(url, timeout=5.0) as answer:
        return answer.read()


def wait_for(url: str, process: subprocess.Popen[Any]) -> None:
    """Wait until an address answers."""
    end = time.monotonic() + SECONDS
    while True:
        assert process.poll() is None, process.stdout and process.stdout.read()
        try:
            ask(url)
            return
        except OSError:
            assert time.monotonic() < end, f"{url} does not answer"
            time.sleep(0.1)


@contextmanager
def run(*words: str, url: str, **more: Any) -> Iterator[subprocess.Popen[Any]]:
    """A program that answers at an address; ended afterwards."""
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more
    )
    try:
        wait_for(url, process)
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:  # a proxy that waits for its connections
            process.kill()
            process.communicate()


@contextmanager
def serve(words: list[str], port: int) -> Iterator[str]:
    """`prowess` with the words of a sample, at a free port."""
    words = [str(port) if word == "8000" else word for word in words]
    if "--port" not in words:
        words += ["--port", str(port)]
    assert words[:2] == ["prowess", "serve"]
    url = f"http://127.0.0.1:{port}"
    program = (sys.executable, "-m", *words)
    with run(*program, url=f"{url}/readyz", env=dict(os.environ, PYTHONPATH=str(ROOT / "src"))):
        yield url


def test_image(tmp_path: Path) -> None:
    """What the image copies and installs is there; its command serves, and keeps a backup."""
    image = read_image()
    for line in image["COPY"]:
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source
    (install,) = (line for line in image["RUN"] if line.startswith("pip"))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra in re.findall(r"\[([\w,]+)\]", install)[0].split(","):
        assert f"\n{extra} = [" in project
    port = free_port()
    words = [word.replace(STATE, str(tmp_path)) for line in ("ENTRYPOINT", "CMD")
             for word in json.loads(image[line][0])]  # fmt: skip
    with serve(words, port) as url:
        check = json.loads(image["HEALTHCHECK"][0].partition("CMD ")[2])
        check = [sys.executable, *check[1:]]
        check[-1] = check[-1].replace("http://127.0.0.1:8000", url)
        assert "8000" not in check[-1].replace(url, "")
        subprocess.run(check, check=True)
        assert (tmp_path / "ladder.db").exists()
        end = time.monotonic() + SECONDS
        while not list((tmp_path / "backups").glob("ladder-*.db")):
            assert time.monotonic() < end, "no backup was written"
            time.sleep(0.1)
    broken = subprocess.run(check, check=False, capture_output=True)
    assert broken.returncode != 0  # a server that is away is not well


def test_compose(postgres_url: str, tmp_path: Path) -> None:
    """The services find each other by name, and the command serves a real PostgreSQL."""
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    services, volumes = compose["services"], compose["volumes"]
    for service in services.values():
        for volume in service["volumes"]:
            source = volume.partition(":")[0]
            assert source in volumes or (DEPLOY / source).is_file(), source
        for other in service.get("depends_on", ()):
            assert other in services
    build = services["prowess"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()
    words = []
    for word in services["prowess"]["command"]:
        option, _, value = word.partition("=")
        if option == "--store":
            assert value == "postgresql://prowess:${POSTGRES_PASSWORD}@postgres/ladder"
            assert services["postgres"]["environment"]["POSTGRES_DB"] == "ladder"
            value = postgres_url
        words += [option, value.replace(STATE, str(tmp_path))] if value else [option]
    with serve(["prowess", "serve", *words], free_port()) as url:
        assert json.loads(ask(f"{url}/readyz"))["status"] == "ready"


def test_service(tmp_path: Path) -> None:
    """The unit is valid where systemd is there to say so; its command is one of this program."""
    text = (DEPLOY / "prowess.service").read_text(encoding="utf-8")
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    words = line.replace("${STATE_DIRECTORY}", str(tmp_path)).split()
    assert words[0].startswith("/opt/prowess/bin/")
    with serve(["prowess", *words[1:]], free_port()) as url:
        ask(f"{url}/readyz")
    analyser = shutil.which("systemd-analyze")
    if analyser is None:
        return
    unit = tmp_path / "prowess.service"
    unit.write_text(text.replace(words[0], sys.executable), encoding="utf-8")
    done = subprocess.run([analyser, "verify", unit], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "prowess.service" not in done.stderr


@pytest.mark.parametrize("name", ["nginx", "caddy"])
def test_proxies(name: str, tmp_path: Path) -> None:
    """Behind each proxy pages and results go through, and events are sent on at once."""
    program = find_program([name], {"nginx": "nginx-light"}.get(name, name))
    if program is None:
        pytest.skip(f"no {name} on this machine")
    front, back = free_port(), free_port()
    command: tuple[str, ...]
    store = str(tmp_path / "club.db")
    words = ["prowess", "serve", "--store", store, "--trust-proxy"]
    if name == "nginx":
        text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
        text = text.replace("listen 80;", f"listen 127.0.0.1:{front};")
        text = text.replace("127.0.0.1:8000", f"127.0.0.1:{back}")
        own = tmp_path / "nginx.conf"
        parts = (f"pid {tmp_path}/pid;", "error_log stderr;", "daemon off;", "events {}", "http {",
                 f"access_log off; client_body_temp_path {tmp_path};", text, "}")  # fmt: skip
        own.write_text("\n".join(parts), encoding="utf-8")
        command, environment = (program, "-p", str(tmp_path), "-c", str(own)), dict(os.environ)
    else:
        command = (program, "run", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile"))
        environment = dict(
            os.environ, SITE=f"http://127.0.0.1:{front}", UPSTREAM=f"127.0.0.1:{back}",
            XDG_DATA_HOME=str(tmp_path), XDG_CONFIG_HOME=str(tmp_path),
        )  # fmt: skip
    url = f"http://127.0.0.1:{front}"
    with serve(words, back), run(*command, url=f"{url}/readyz", env=environment, cwd=tmp_path):
        assert b"<h1" in ask(f"{url}/")
        token = subprocess.run(
            [sys.executable, "-m", "prowess", "token", "add", "x", "--scope", "submit",
             "--store", store], env=dict(os.environ, PYTHONPATH=str(ROOT / "src")),
            capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        with socket.create_connection(("127.0.0.1", front), 30.0) as events:
            events.sendall(
                f"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:{front}\r\n\r\n".encode()
            )
            assert b" 200 " in events.recv(65_536)
            sent = json.dumps({"player_a": "Ada", "player_b": "Ben", "score": 1}).encode()
            head = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            urllib.request.urlopen(
                urllib.request.Request(f"{url}/api/v1/results", sent, head), timeout=30.0
            ).close()
            heard, end = b"", time.monotonic() + 10.0
            while b"event: record" not in heard and time.monotonic() < end:
                heard += events.recv(65_536)
        assert b"event: record" in heard
