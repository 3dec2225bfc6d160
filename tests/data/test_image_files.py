"""Files of images: the content of IDX and of the CIFAR archive is read, and any other content is refused."""

import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

from isobath.contracts.tiny_images import archive, as_idx, cifar, drawn, records, zipped
from isobath.data import cifar_binary, idx

# IDX


def test_idx_gives_back_what_was_written():
    x, y = drawn(20)
    names = ("a.gz", "b.gz")
    read = idx.pair((zipped(as_idx(x)), zipped(as_idx(y))), names=names)
    np.testing.assert_array_equal(read[0], x)
    np.testing.assert_array_equal(read[1], y)
    assert read[0].dtype == read[1].dtype == np.uint8


IMAGES = as_idx(np.ones((2, 3, 3)))
LABELS = as_idx(np.array([3, 9]))


@pytest.mark.parametrize(
    ("read", "content", "why"),
    [
        (idx.images, IMAGES, "can't be unzipped"),
        (idx.images, zipped(IMAGES)[:-5], "can't be unzipped"),
        (idx.images, zipped(IMAGES)[:-8] + bytes(8), "can't be unzipped"),  # its checksum
        (idx.images, zipped(IMAGES) + b"more", "can't be unzipped"),
        (idx.images, zipped(LABELS), "0x00000801.*3 axes"),
        (idx.labels, zipped(IMAGES), "0x00000803.*1 axes"),
        (idx.images, zipped(as_idx(np.ones((2, 3, 3)), magic=b"\0\0\x0d\3")), "0x00000d03"),
        (idx.images, zipped(b"<html>"), "starts with 0x3c68746d"),
        (idx.images, zipped(b""), "starts with"),
        (idx.images, zipped(IMAGES[:10]), "ends after 10 bytes"),
        (idx.images, zipped(as_idx(np.ones((0, 3, 3)))), "at least 1"),
        (idx.images, zipped(IMAGES[:-1]), "has 17 bytes.*needs 18"),
        (idx.images, zipped(IMAGES + b"\0"), "has 19 bytes.*needs 18"),
        (idx.labels, zipped(LABELS + b"\0"), "has 3 bytes.*needs 2"),
        (idx.labels, zipped(as_idx(np.array([3, 10]))), "a label is 10"),
    ],
)
def test_idx_that_is_not_exactly_so_is_refused(read, content, why):
    with pytest.raises(ValueError, match=f"file.gz: .*{why}"):
        read(content, name="file.gz")


def test_as_many_images_as_labels():
    with pytest.raises(ValueError, match=r"a has 2 images and b 3 labels"):
        idx.pair((zipped(IMAGES), zipped(as_idx(np.arange(3)))), names=("a", "b"))


# CIFAR


def test_cifar_batches_are_pooled_in_order():
    (x, y), (x_test, y_test) = cifar_binary.batches(archive(reversed(cifar().items())), name="a")
    expected = np.concatenate([records(20, name) for name in cifar_binary.TRAIN])
    np.testing.assert_array_equal(y, expected[:, 0])
    np.testing.assert_array_equal(x.reshape(100, 3072), expected[:, 1:])
    np.testing.assert_array_equal(x_test[:, 2, 5], records(20, "test_batch.bin")[:, 1 + 2 * 1024 + 5])
    assert y_test.shape == (20,)


def link(kind):
    info = tarfile.TarInfo("cifar-10-batches-bin/test_batch.bin")
    info.type, info.linkname = kind, "../../etc/passwd"
    return info


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (archive(cifar(**{"data_batch_3.bin": None}).items()), "has no data_batch_3.bin;"),
        (archive([]), "has no data_batch_1.bin, .*test_batch.bin"),
        (archive([*cifar().items(), ("x/test_batch.bin", records(10).tobytes())]), "test_batch.bin stands twice"),
        (archive(cifar(**{"test_batch.bin": bytes(3072)}).items()), "test_batch.bin: has 3072 bytes.*3073"),
        (archive(cifar(**{"test_batch.bin": b""}).items()), "test_batch.bin: has 0 bytes"),
        (archive(cifar(**{"data_batch_5.bin": b"\x0a" + bytes(3072)}).items()), "data_batch_5.bin: a label is 10"),
        (archive(cifar(**{"test_batch.bin": None}).items(), extra=[link(tarfile.SYMTYPE)]), "not a plain file"),
        (archive(cifar(**{"test_batch.bin": None}).items(), extra=[link(tarfile.LNKTYPE)]), "not a plain file"),
        (archive(cifar().items())[:-1], "can't be read"),
        (archive(cifar().items())[:100_000], "can't be read"),
        (archive(cifar().items())[:-8] + bytes(8), "can't be read"),  # its checksum
        (zipped(b"<html>" * 1000), "can't be read"),
        (b"<html>", "can't be read"),
        (b"", "can't be read"),
    ],
)
def test_a_cifar_archive_that_is_not_exactly_so_is_refused(content, why):
    with pytest.raises(ValueError, match=f"a.tar.gz.*{why}"):
        cifar_binary.batches(content, name="a.tar.gz")


# Bombs: what is small on disk and has no end.

BOMB = """
import gzip, io, json, resource, struct, sys, tarfile, time
from isobath.data import cifar_binary, downloads, idx, mnist

def zipped(head, megabytes):
    return gzip.compress(head) + gzip.compress(bytes(1 << 20)) * megabytes  # as one file to gzip

def member(size):
    info = tarfile.TarInfo("data_batch_1.bin")
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)

megabytes = 500
def long(size, name="readme.html"):
    info = tarfile.TarInfo(name)
    info.size = size
    return info.tobuf(tarfile.GNU_FORMAT)

def chained(n):
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 10
    return (info.tobuf(tarfile.GNU_FORMAT) + b"a.bin".ljust(512, b"\\0")) * n

heads = {
    "other file without end": long(2**62),
    "chain of names": chained(3000),
    "images": struct.pack(">4B3I", 0, 0, 8, 3, 2**31, 28, 28),
    "images of zeros": b"",
    "checksum": b"",
    "batch": member(megabytes << 20),
    "batch that says less": member(30730000),
    "tar": b"",
}

def read(kind, content):
    if kind.startswith("images"):
        idx.images(content, name="file.gz")
    elif kind == "checksum":
        raise ValueError(downloads.passed(mnist.FILES["mnist/train-images-idx3-ubyte.gz"], content))
    else:
        cifar_binary.batches(content, name="a.tar.gz")

contents = {kind: zipped(head, megabytes) for kind, head in heads.items()}
resource.setrlimit(resource.RLIMIT_AS, (2**29, resource.RLIM_INFINITY))
for kind, content in contents.items():
    began = time.process_time()
    try:
        read(kind, content)
    except ValueError as error:
        print(json.dumps([kind, time.process_time() - began, str(error)]))
"""


@pytest.fixture(scope="module")
def bombs():
    """Return the seconds and the words in which each bomb of half a gigabyte is refused, where there is one."""
    quiet = {"capture_output": True, "text": True, "env": {**os.environ, "OMP_NUM_THREADS": "1"}}
    done = subprocess.run([sys.executable, "-c", BOMB], check=False, **quiet)
    assert (done.returncode, done.stderr) == (0, "")
    return {kind: found for kind, *found in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        pytest.param("images", "file.gz: holds more than 134217728 bytes", marks=pytest.mark.slow),
        ("images of zeros", "file.gz: starts with 0x00000000"),
        ("checksum", "format only"),
        ("batch", "data_batch_1.bin says that it has 524288000 bytes"),
        ("batch that says less", "a.tar.gz: holds more than 268435456 bytes"),
        ("other file without end", "readme.html ends beyond the 268435456 bytes that an archive may have"),
        ("chain of names", "a.tar.gz: can't be read (maximum recursion depth exceeded"),
        ("tar", "a.tar.gz: holds more than 268435456 bytes"),
    ],
)
def test_a_bomb_is_refused_before_it_has_taken_time_or_memory(bombs, kind, why):
    seconds, said = bombs[kind]
    assert why in said
    assert seconds < 2


def test_nothing_is_extracted(tmp_path, monkeypatch):
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    content = archive([*cifar().items(), ("../../outside", b"x"), ("/absolute", b"x")])
    cifar_binary.batches(content, name="a")
    assert list(tmp_path.rglob("*")) == [tmp_path / "inside"]
    assert not Path("/absolute").exists()
