"""Reader of the binary version of CIFAR-10, in memory, member by member; no file is extracted.

A batch is a sequence of records of 3073 bytes: the class, then 32 x 32 pixels of red, of green
and of blue. The python version is not supported: it is a pickle, which can run code.
"""

import tarfile

import numpy as np

from isobath.data.unzipping import ERRORS, unzipping

MOST = 2**28  # bytes of an archive, unzipped: CIFAR-10 has 184 million
TRAIN = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
TEST = ("test_batch.bin",)
CHANNELS, SIDE = 3, 32
RECORD = 1 + CHANNELS * SIDE**2
CLASSES = 10

Batch = tuple[np.ndarray, np.ndarray]


def batches(content: bytes, *, name: str) -> tuple[Batch, Batch]:
    """Read the pooled training batches and the test batch of a tar.gz.

    Each is images, uint8 (n, 3, 1024), channel first, and labels, uint8 (n,). Errors mention ``name``. Raises
    ValueError for a member that is missing, occurs twice or isn't of the format.
    """
    members = _members(content, name)
    missing = [member for member in (*TRAIN, *TEST) if member not in members]
    if missing:
        raise ValueError(f"{name}: has no {', '.join(missing)}; the binary version of CIFAR-10 has them")
    train = [_records(members[member], f"{name}, {member}") for member in TRAIN]
    pooled = np.concatenate([x for x, _ in train]), np.concatenate([y for _, y in train])
    return pooled, _records(members[TEST[0]], f"{name}, {TEST[0]}")


def _records(raw: bytes, name: str) -> Batch:
    if not raw or len(raw) % RECORD:
        raise ValueError(f"{name}: has {len(raw)} bytes; it must be a positive multiple of {RECORD}")
    records = np.frombuffer(raw, np.uint8).reshape(-1, RECORD)
    labels = records[:, 0]
    if labels.max() >= CLASSES:
        raise ValueError(f"{name}: a label is {labels.max()}; allowed: 0 to {CLASSES - 1}")
    return records[:, 1:].reshape(-1, CHANNELS, SIDE**2), labels


def _members(content: bytes, name: str) -> dict[str, bytes]:
    """Read the batches in an archive by base name, in any folder; other members are ignored."""
    contents: dict[str, bytes] = {}
    try:
        with unzipping(content, most=MOST, name=name) as stream:
            with tarfile.open(fileobj=stream, mode="r|") as archive:
                for member in archive:
                    base = member.name.rpartition("/")[2]
                    if base in contents:
                        raise ValueError(f"{name}: {base} stands twice; each batch must stand once")
                    if base in (*TRAIN, *TEST):
                        contents[base] = _content(archive, member, name)
                    if archive.offset > MOST:  # where the next member begins: the reader would go there for ever
                        raise ValueError(f"{name}: {member.name} ends beyond the {MOST} bytes that an archive may have")
            for _ in stream.chunks():  # the checksum of gzip follows the end of tar
                pass
    except (*ERRORS, tarfile.TarError, RecursionError) as error:
        raise ValueError(f"{name}: can't be read ({error}); it must be a complete .tar.gz file") from None
    return contents


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, name: str) -> bytes:
    file = archive.extractfile(member) if member.isreg() else None  # links are not followed
    if file is None:
        raise ValueError(f"{name}: {member.name} is not a plain file; a batch must be one")
    if member.size > MOST:
        raise ValueError(f"{name}: {member.name} says that it has {member.size} bytes; an archive may have {MOST}")
    return file.read()
