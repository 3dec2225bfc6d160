"""Random streams that are known by name.

Every draw in isobath comes from a stream that is named by its purpose, for example ``stream(seed, "initialisation",
task, depth, width, network)``. A stream depends on its name alone, never on the order or the number of the others:
growing a grid changes no draw. Streams are drawn on the CPU and moved, since the generators of devices differ.
"""

import hashlib
import json

import numpy as np

Name = str | int | float


def entropy(seed: int, *names: Name) -> int:
    """Return the 128-bit integer that stands for a name; ``seed`` is the root seed of config.yaml."""
    canonical = json.dumps([seed, *names], separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(canonical.encode()).digest()[:16], "little")


def stream(seed: int, *names: Name) -> np.random.Generator:
    """Return a generator (PCG64) seeded by SeedSequence from the name alone."""
    return np.random.default_rng(np.random.SeedSequence(entropy(seed, *names)))


def orthonormal(generator: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Draw ``columns`` orthonormal vectors from the Haar measure, (rows, columns), at most as many as rows."""
    q, r = np.linalg.qr(generator.standard_normal((rows, columns)))
    return np.asarray(q * np.sign(np.diag(r)))  # the factorisation is unique so, and the distribution uniform


def of_epoch(key: int, epoch: int, purpose: int = 0) -> np.random.Generator:
    """Return the generator of one epoch of a network with a key: 0 draws the order, other purposes are a protocol's.

    Philox is counter-based: what is drawn is a function of (key, epoch, purpose), so that a training resumes without
    any generator state, and does not depend on its neighbours in a stack.
    """
    return np.random.Generator(np.random.Philox(key=key, counter=[0, 0, purpose, epoch]))


def permutation(key: int, epoch: int, n: int) -> np.ndarray:
    """Return the order of ``n`` rows in one epoch, shape (n,)."""
    return of_epoch(key, epoch).permutation(n)
