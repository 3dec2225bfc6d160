"""The published files of MNIST: their mirrors and checksums."""

from isobath.data.downloads import File

MIRRORS = (
    "https://ossci-datasets.s3.amazonaws.com/mnist/",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
)


def _file(name: str, sha256: str, content_md5: str) -> File:
    return File(f"mnist/{name}", tuple(mirror + name for mirror in MIRRORS), sha256, content_md5)


FILES = {
    file.name: file
    for file in (
        _file(
            "train-images-idx3-ubyte.gz",
            "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            "6bbc9ace898e44ae57da46a324031adb",
        ),
        _file(
            "train-labels-idx1-ubyte.gz",
            "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            "a25bea736e30d166cdddb491f175f624",
        ),
        _file(
            "t10k-images-idx3-ubyte.gz",
            "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            "2646ac647ad5339dbf082846283269ea",
        ),
        _file(
            "t10k-labels-idx1-ubyte.gz",
            "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
            "27ae3e4e09519cfbb04c329615203637",
        ),
    )
}
