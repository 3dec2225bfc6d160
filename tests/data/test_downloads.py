"""Downloads from a server that fails in every way that mirrors do."""

import gzip
import hashlib
import logging.handlers
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pooch
import pytest

from isobath import plugins
from isobath.data import cifar10, mnist
from isobath.data.downloads import DownloadError, File, fetch, passed
from isobath.stages import data
from isobath.stages import downloads as stage
from isobath.tasks import mnist_parity

CONTENT = gzip.compress(bytes(range(256)) * 40, mtime=0) + bytes(3000)  # larger than a few chunks of pooch
TIMEOUTS = {"connect_timeout": 2, "read_timeout": 0.3, "total_timeout": 1}


class Liar(BaseHTTPRequestHandler):
    """A server that fails as the path says.

    ``server.over`` ends all hanging, ``server.left`` is set when a client has gone.
    """

    def do_GET(self):
        getattr(self, self.path[1:])()

    def answer(self, body, *, length=None, status=200):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)

    def good(self):
        self.answer(CONTENT)

    def wrong(self):
        self.answer(CONTENT[:-1] + b"x")

    def html(self):
        self.answer(b"\n<!DOCTYPE html><html>Log in to the network of this hotel</html>")

    def missing(self):
        self.answer(b"<html>404</html>", status=404)

    def truncated(self):
        self.answer(CONTENT[:2000], length=len(CONTENT))

    def silent(self):
        self.server.over.wait(30)

    def stalled(self):
        self.answer(CONTENT[:2000], length=len(CONTENT))
        self.server.over.wait(30)

    def header_drip(self):
        self.drip(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a")

    def body_drip(self):
        self.drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n", b"a")

    def steady_drip(self):
        self.drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n", bytes(2048))

    def drip(self, start, drop):
        try:
            self.wfile.write(start)
            while not self.server.over.wait(0.05):
                self.wfile.write(drop)
        except OSError:
            self.server.left.set()

    def watched(self):
        """Send the good file, and look at the destination when half is sent."""
        self.answer(CONTENT[: len(CONTENT) // 2], length=len(CONTENT))
        self.wfile.flush()
        time.sleep(0.1)
        self.server.seen.append([path.name for path in self.server.destination.parent.iterdir()])
        self.wfile.write(CONTENT[len(CONTENT) // 2 :])

    def log_message(self, *_):
        """Log nothing."""


class Server(ThreadingHTTPServer):
    block_on_close = False
    daemon_threads = True

    def handle_error(self, *_):
        """Ignore a client that has gone."""


@pytest.fixture
def server(monkeypatch, tmp_path):
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("no_proxy", "*")
    with Server(("127.0.0.1", 0), Liar) as running:
        running.over, running.left, running.seen = threading.Event(), threading.Event(), []
        running.destination = tmp_path / "folder" / "file.gz"
        threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield running
        running.over.set()
        running.shutdown()


def mirrored(server, *ways):
    urls = tuple(f"http://127.0.0.1:{server.server_port}/{way}" for way in ways)
    return File("data/file.gz", urls, hashlib.sha256(CONTENT).hexdigest())


BAD = {
    "wrong": "not the official file",
    "html": "an HTML page",
    "missing": "answered 404",
    "truncated": "broke off",
    "silent": "silent for 0.3 s",
    "stalled": "silent for 0.3 s",
    "header_drip": "not complete after 1 s",
    "body_drip": "not complete after 1 s",
}


@pytest.mark.parametrize(("way", "why"), BAD.items())
def test_a_bad_mirror_is_named_and_leaves_nothing(server, way, why):
    with pytest.raises(DownloadError, match=why) as error:
        fetch(mirrored(server, way), server.destination, **TIMEOUTS)
    assert f"/{way}: {why}" in str(error.value)
    assert list(server.destination.parent.iterdir()) == []


def test_the_good_mirror_counts_however_bad_those_before_it_are(server, monkeypatch):
    said, logger = logging.handlers.BufferingHandler(100), pooch.get_logger()  # a logger that hears of no other
    monkeypatch.setattr(logger, "handlers", [said])
    logger.setLevel("DEBUG")
    fetch(mirrored(server, *BAD, "good"), server.destination, **TIMEOUTS)
    assert server.destination.read_bytes() == CONTENT
    assert [p.name for p in server.destination.parent.iterdir()] == ["file.gz"]
    assert server.destination.stat().st_mode & 0o777 == 0o644
    assert said.buffer == []


def test_when_all_fail_one_error_names_them_and_says_what_to_do(server):
    server.destination.parent.mkdir()
    server.destination.write_bytes(b"what stood there")
    with pytest.raises(DownloadError) as error:
        fetch(mirrored(server, *BAD), server.destination, **TIMEOUTS)
    message = str(error.value)
    assert all(f"/{way}: {why}" in message for way, why in BAD.items())
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    recipe = ("by hand", str(server.destination), sha256, "data/file.gz", "`data: <folder>`")
    assert all(words in message for words in recipe)
    assert "\n" not in message
    assert server.destination.read_bytes() == b"what stood there"
    assert len(list(server.destination.parent.iterdir())) == 1


def test_nobody_listens(server):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    file = mirrored(server)._replace(mirrors=(f"http://127.0.0.1:{port}/good",))
    with pytest.raises(DownloadError, match="/good: no connection"):
        fetch(file, server.destination, **TIMEOUTS)


def test_a_destination_is_complete_from_its_first_moment(server):
    fetch(mirrored(server, "watched"), server.destination, **TIMEOUTS)
    ((beside,),) = server.seen  # while it comes in, there is one thing in the folder
    assert beside.startswith(".file.gz.")
    assert server.destination.read_bytes() == CONTENT


def test_a_destination_that_cannot_be_written_is_no_fault_of_mirrors(server):
    server.destination.mkdir(parents=True)
    with pytest.raises(IsADirectoryError):
        fetch(mirrored(server, "good"), server.destination, **TIMEOUTS)
    assert list(server.destination.parent.iterdir()) == [server.destination]


def test_a_mirror_that_is_given_up_on_is_not_read_any_further(server):
    with pytest.raises(DownloadError, match="not complete"):
        fetch(mirrored(server, "steady_drip"), server.destination, **TIMEOUTS)
    assert server.left.wait(20)


def test_what_a_local_file_passed():
    content = b"pixels"
    official, anew = gzip.compress(content, 9, mtime=0), gzip.compress(content, 1, mtime=1)
    md5 = hashlib.md5(content, usedforsecurity=False).hexdigest()
    file = File("a.gz", (), hashlib.sha256(official).hexdigest(), md5)
    assert passed(file, official) == "official file (SHA-256)"
    assert passed(file, anew) == "official content (MD5)"
    for other in (gzip.compress(b"pixel"), official[:-4], b"no gzip", b"", official[:12] + b"\xff" * 8):
        assert passed(file, other) == "format only"
    assert passed(file._replace(content_md5=None), anew) == "format only"


def test_every_file_that_a_task_names_can_be_downloaded():
    named = {name for kind in plugins.kinds("task") for name in plugins.files(kind)} - {"table/table.csv"}  # one's own
    published = {**mnist.FILES, **cifar10.FILES}
    assert named == published.keys()
    assert all(
        {*plugins.files(kind)} == plugins.downloads(kind).keys() for kind in ("mnist", "mnist_parity", "cifar10")
    )
    for name, file in published.items():
        assert file.name == name
        assert len(file.mirrors) > 1
        assert all(url.startswith("https://") and url.endswith(name.split("/")[1]) for url in file.mirrors)
        assert len(bytes.fromhex(file.sha256)) == 32
        assert file.content_md5 is None or len(bytes.fromhex(file.content_md5)) == 16


def test_the_workflow_is_parsed_without_pooch():
    code = "import sys, isobath.data.mnist, isobath.data.cifar10; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"pooch", "requests", "torch", "xarray", "numpy"} & set(loaded)


def test_the_stage_downloads_by_name(server, monkeypatch):
    published = {"mnist": {"data/file.gz": mirrored(server, "good")}}
    monkeypatch.setattr(plugins, "downloads", lambda kind: published.get(kind, {}))
    stage.main("data/file.gz", server.destination)
    assert server.destination.read_bytes() == CONTENT
    with pytest.raises(ValueError, match=r"no download 'data/fil.gz'; did you mean 'data/file.gz'"):
        stage.main("data/fil.gz", server.destination)


def test_a_download_that_was_altered_afterwards_is_refused(tmp_path, monkeypatch):
    """Files of one's own are taken by their format; those of resources/ have to be what was downloaded."""
    monkeypatch.chdir(tmp_path)
    files = [Path("resources") / name for name in mnist_parity.FILES]
    files[0].parent.mkdir(parents=True)
    for path in files:
        path.write_bytes(b"altered")
    spec = {"task": {"kind": "mnist_parity", "dimension": 3}, "name": "t", "n": 10, "draw": 0, "seed": 0}
    spec |= {"n_test": 5, "part": "train"}
    with pytest.raises(ValueError, match=r"resources/mnist/\S+ is not the official file any more; remove it"):
        data.main(spec, "code", tmp_path / "out.zarr.zip", files=files)
