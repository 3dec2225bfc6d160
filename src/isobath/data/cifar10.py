"""The published file of CIFAR-10: its mirrors and its checksum."""

from isobath.data.downloads import File

ARCHIVE = File(
    "cifar10/cifar-10-binary.tar.gz",
    (
        "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
        "https://storage.googleapis.com/s4tf-hosted-binaries/datasets/CIFAR10/cifar-10-binary.tar.gz",
    ),
    "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
)
FILES = {ARCHIVE.name: ARCHIVE}
