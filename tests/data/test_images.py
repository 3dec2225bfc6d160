"""Real images as data: the map to components against its definition, and the splits."""

import numpy as np
import pytest

from isobath import binding
from isobath.binding import bound
from isobath.contracts.tiny_images import MEMBERS, archive, as_idx, cifar, drawn, mnist, records, zipped
from isobath.data import cifar_binary, idx, images
from isobath.randomness import stream
from isobath.tasks import cifar10, digits_parity, mnist_parity


def nearest_neighbour_error(train, test):
    (x, y), (x_test, y_test) = train, test
    return (y[(x_test @ x.T).argmax(1)] != y_test).mean()


# The map


def whitened(x, dimension):
    """Return PCA by the singular values of the centred images: z (n, d) up to the signs of its columns."""
    u, _, _ = np.linalg.svd(x - x.mean(0), full_matrices=False)
    return u[:, :dimension] * np.sqrt(len(x))


def test_components_are_those_of_the_singular_values():
    x, _ = drawn(200)
    x = x.reshape(200, -1)
    mean, whitening = images.components(x, 7)
    z = (x - mean) @ whitening
    expected = whitened(x, 7)
    signs = np.sign((z * expected).sum(0))
    np.testing.assert_allclose(z, expected * signs, atol=1e-9)
    np.testing.assert_allclose(np.cov(z.T, ddof=0), np.eye(7), atol=1e-9)
    assert (whitening[np.abs(whitening).argmax(0), range(7)] > 0).all()
    on_sphere = images.on_sphere(x, mean, whitening)
    np.testing.assert_allclose(on_sphere, z / np.linalg.norm(z, axis=1)[:, None] * 7**0.5, atol=1e-9)


def test_the_map_does_not_depend_on_the_order_of_the_images():
    """The sums are of integers, so exact: equal to the last bit."""
    x, _ = drawn(500)
    x = x.reshape(500, -1)
    mean, whitening = images.components(x, 10)
    for _ in range(3):
        again = images.components(stream(3, "order").permutation(x), 10)
        np.testing.assert_array_equal(again[0], mean)
        np.testing.assert_array_equal(again[1], whitening)


def test_signs_of_eigenvectors_do_not_matter(monkeypatch):
    vectors = stream(0, "vectors").standard_normal((6, 4))
    np.testing.assert_array_equal(images.fix_signs(vectors), images.fix_signs(vectors * [1, -1, 1, -1]))
    for wobble in (-1e-12, 0, 1e-12):  # components that tie
        tied = np.array([[0.1], [1 + wobble], [-1.0]])
        np.testing.assert_array_equal(images.fix_signs(-tied), tied)
    x, y = drawn(200)
    arguments = (x.reshape(200, -1), y, 40, 20)
    expected = images.parity_split(*arguments, generator=stream(0, "s"), dimension=5)
    eigh = np.linalg.eigh
    monkeypatch.setattr(np.linalg, "eigh", lambda matrix: (eigh(matrix)[0], -eigh(matrix)[1]))
    again = images.parity_split(*arguments, generator=stream(0, "s"), dimension=5)
    np.testing.assert_array_equal(expected[0][0], again[0][0])
    np.testing.assert_array_equal(expected[1][0], again[1][0])


def test_statistics_are_of_the_training_part_alone():
    x, y = drawn(200)
    x = x.reshape(200, -1)
    rows = images.balanced_order(y, 10, generator=stream(0, "s"))[50:80]
    changed = x.copy()
    changed[rows[10:]] = stream(5, "other").integers(0, 256, (20, x.shape[1]))
    (one, two) = (images.parity_split(a, y, 50, 30, generator=stream(0, "s"), dimension=6) for a in (x, changed))
    np.testing.assert_array_equal(one[0][0], two[0][0])
    np.testing.assert_allclose(one[1][0][:10], two[1][0][:10], atol=1e-12)
    assert (one[1][0][10:] != two[1][0][10:]).any(1).all()


@pytest.mark.parametrize(
    ("x", "dimension", "why"),
    [
        (np.eye(5), 5, "n_train is 5; it must be larger than dimension, which is 5"),
        (np.ones((9, 3)), 4, "dimension is 4; it must not exceed the number of pixels, which is 3"),
        (np.ones((9, 3)), 1, "must not exceed 0"),
        (np.arange(20)[:, None] * [1, 2, 0], 2, "must not exceed 1,"),
        (np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0]] * 2), 1, "eigenvalues 1 and 2 .* are equal"),
    ],
)
def test_components_that_are_not_defined_are_refused(x, dimension, why):
    with pytest.raises(ValueError, match=why):
        images.components(x, dimension)


def test_an_image_without_direction_is_refused():
    with pytest.raises(ValueError, match="image 1 is the mean image"):
        images.on_sphere(np.array([[1, 2], [3, 4]]), np.array([3.0, 4.0]), np.eye(2))


def test_channel_statistics_do_not_overflow():
    """The sums pass 64 bits at the size of CIFAR: they are compared with floating point, on bright images."""
    x = np.full((60_000, 1, 1024), 255, np.uint8)
    x[::2] = 253
    mean, deviation = images.channel_statistics(x)
    assert mean.tolist() == [254]
    assert deviation.tolist() == [1]


# Splits


def test_the_order_is_balanced_and_uses_no_image_twice():
    _, digits = drawn(300)
    order = images.balanced_order(digits, 10, generator=stream(0, "s"))
    assert len(order) == 10 * np.bincount(digits).min()
    assert len(set(order.tolist())) == len(order)
    for n in (1, 9, 10, 37, len(order)):
        counts = np.bincount(digits[order[:n]], minlength=10)
        assert counts.max() - counts.min() <= 1
    other = images.balanced_order(digits, 10, generator=stream(1, "s"))
    np.testing.assert_array_equal(digits[order], digits[other])
    assert (order != other).mean() > 0.5


def test_mnist_end_to_end():
    (x, y), (x_test, y_test) = mnist_parity.split(150, 80, generator=stream(0, "s"), files=mnist())
    assert (x.shape, x_test.shape) == ((150, 10), (80, 10))
    assert x.dtype == x_test.dtype == np.float64
    assert y.dtype == y_test.dtype == np.int64
    for inputs, labels in ((x, y), (x_test, y_test)):
        np.testing.assert_allclose(np.linalg.norm(inputs, axis=1), 10**0.5)
        assert labels.mean() == 0.5
        assert set(labels) == {0, 1}
    assert nearest_neighbour_error((x, y), (x_test, y_test)) == 0  # each image kept its label
    rows = {tuple(row) for row in np.vstack([x, x_test]).round(9)}
    assert len(rows) == 230  # all images differ, so that none is in both parts
    np.testing.assert_array_equal(y, np.arange(150) % 10 % 2)


def test_mnist_pools_both_files():
    available = 10 * min(np.bincount(np.concatenate([drawn(300)[1], drawn(100)[1]])))
    (x, _), (x_test, _) = mnist_parity.split(available - 1, 1, generator=stream(0, "s"), files=mnist())
    assert len(x) + len(x_test) == available
    with pytest.raises(ValueError, match=f"at most {available} in all"):
        mnist_parity.split(available, 1, generator=stream(0, "s"), files=mnist())


@pytest.mark.parametrize(
    ("module", "files"),
    [(mnist_parity, mnist()), (digits_parity, {}), (cifar10, {cifar10.FILES[0]: archive(cifar().items())})],
)
def test_a_split_is_a_function_of_its_arguments(module, files):
    one, two, other = (module.split(40, 20, generator=stream(s, "s"), files=files) for s in (0, 0, 1))
    for part, again, different in zip(one, two, other, strict=True):
        np.testing.assert_array_equal(part[0], again[0])
        np.testing.assert_array_equal(part[1], again[1])
        assert (part[0] != different[0]).any(1).all()
    fewer = module.split(40, 1, generator=stream(0, "s"), files=files)
    np.testing.assert_array_equal(fewer[0][0], one[0][0])
    np.testing.assert_array_equal(fewer[0][1], one[0][1])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({mnist_parity.FILES[1]: None}, "mnist/train-labels-idx1-ubyte.gz is missing"),
        ({mnist_parity.FILES[2]: zipped(as_idx(np.ones((100, 5, 6))))}, r"are \(6, 5\) and .* \(5, 6\)"),
        ({mnist_parity.FILES[3]: zipped(as_idx(np.ones(99)))}, "100 images and .* 99 labels"),
        (
            {
                name: zipped(as_idx(np.arange(n) % 9))
                for name, n in zip(mnist_parity.FILES[1::2], (300, 100), strict=True)
            },
            "class 9 has no images",
        ),
    ],
)
def test_mnist_files_that_do_not_fit_are_refused(changes, why):
    files = {name: content for name, content in (mnist() | changes).items() if content is not None}
    with pytest.raises(ValueError, match=why):
        mnist_parity.split(100, 50, generator=stream(0, "s"), files=files)


@pytest.mark.parametrize("settings", [{"n_train": 100, "n_test": 0}, {"n_train": 10, "n_test": 10}])
def test_splits_that_cannot_be_are_refused(settings):
    with pytest.raises(ValueError, match="must be"):
        digits_parity.split(**settings, generator=stream(0, "s"), files={})


def test_digits_end_to_end():
    train, test = digits_parity.split(1240, 500, generator=stream(0, "s"), files={}, dimension=20)
    assert train[0].shape == (1240, 20)
    assert test[1].mean() == 0.5
    np.testing.assert_allclose(np.linalg.norm(test[0], axis=1), 20**0.5)
    assert nearest_neighbour_error(train, test) < 0.05  # digits of one kind are near each other
    with pytest.raises(ValueError, match=r"1240 \+ 501; .* at most 1740"):
        digits_parity.split(1240, 501, generator=stream(0, "s"), files={})


def test_cifar_parts_are_standardised_by_the_training_part():
    files = {cifar10.FILES[0]: archive(cifar().items())}
    (x, y), (x_test, y_test) = cifar10.split(50, 20, generator=stream(0, "s"), files=files)
    assert x.dtype == x_test.dtype == np.float32
    assert y.dtype == y_test.dtype == np.int64
    assert (x.shape, x_test.shape) == ((50, 3072), (20, 3072))
    assert np.bincount(y).tolist() == [5] * 10
    channels = x.astype(float).reshape(50, 3, 1024)
    np.testing.assert_allclose(channels.mean((0, 2)), 0, atol=1e-6)
    np.testing.assert_allclose(channels.std((0, 2)), 1, atol=1e-6)
    # Each row is an affine map of one record, that of its class, and no record is used twice.
    for inputs, labels, members in ((x, y, cifar_binary.TRAIN), (x_test, y_test, cifar_binary.TEST)):
        pool = np.concatenate([records(20, name) for name in members]).astype(float)
        origin = [np.corrcoef(row[:1024], pool[:, 1:1025])[0, 1:].argmax() for row in inputs]
        assert len(set(origin)) == len(inputs)
        np.testing.assert_array_equal(pool[origin, 0], labels)
    # The last row of the test part, by the moments of the training pixels, channel by channel.
    train = np.concatenate([records(20, name) for name in cifar_binary.TRAIN])[:, 1:].reshape(100, 3, 1024)
    everything = cifar10.split(100, 20, generator=stream(0, "s"), files=files)
    expected = (pool[origin[-1], 1:].reshape(3, 1024) - train.mean((0, 2))[:, None]) / train.std((0, 2))[:, None]
    np.testing.assert_allclose(everything[1][0][-1], expected.ravel(), rtol=1e-5, atol=1e-6)


def test_cifar_test_images_do_not_depend_on_the_training_set():
    files = {cifar10.FILES[0]: archive(cifar().items())}
    small, large = (cifar10.split(n, 15, generator=stream(0, "s"), files=files) for n in (30, 90))
    np.testing.assert_array_equal(small[1][1], large[1][1])
    for a, b in zip(small[1][0], large[1][0], strict=True):
        assert np.corrcoef(a[:1024], b[:1024])[0, 1] == pytest.approx(1)
    np.testing.assert_array_equal(small[0][1], large[0][1][:30])


RED = records(20) * np.array([1] * 1025 + [0] * 2048, np.uint8)  # green and blue are constant


@pytest.mark.parametrize(
    ("n", "changes", "why"),
    [
        ((101, 20), {}, "n_train is 101; it must be 1 to 100"),
        ((100, 21), {}, "n_test is 21; it must be 1 to 20"),
        ((0, 20), {}, "n_train is 0"),
        ((10, 20), {name: records(20, name)[:19].tobytes() for name in cifar_binary.TEST}, "n_test is 20; .* 1 to 10"),
        ((10, 9), {"test_batch.bin": records(9).tobytes()}, "class 9 has no images"),
        (
            (50, 20),
            {name: RED.tobytes() for name in MEMBERS},
            "channel 1 .*constant",
        ),
    ],
)
def test_cifar_splits_that_cannot_be_are_refused(n, changes, why):
    files = {cifar10.FILES[0]: archive(cifar(**changes).items())}
    with pytest.raises(ValueError, match=why):
        cifar10.split(*n, generator=stream(0, "s"), files=files)


def test_the_pixels_of_mnist_are_those_of_the_official_parts():
    content = mnist(train=300, test=100, size=(28, 28))
    (x, y), (x_test, y_test) = binding.bound("task", "mnist")(300, 40, generator=stream(0, "m"), files=content)
    images, digits = idx.pair(tuple(content[name] for name in mnist_parity.FILES[2:]), names=("a", "b"))
    rows = [np.flatnonzero((images.reshape(100, -1) / 255 == row).all(1))[0] for row in x_test]
    assert rows == sorted(set(rows)) != list(range(40))  # some of the official ones, in their order
    np.testing.assert_array_equal(y_test, digits[rows])
    _, same = binding.bound("task", "mnist")(10, 40, generator=stream(1, "m"), files=content)
    np.testing.assert_array_equal(same[0], x_test)  # for all data sets
    _, whole = binding.bound("task", "mnist")(10, 100, generator=stream(0, "m"), files=content)
    np.testing.assert_array_equal(whole[0], images.reshape(100, -1) / 255)
    images, digits = idx.pair(tuple(content[name] for name in mnist_parity.FILES[:2]), names=("a", "b"))
    np.testing.assert_allclose(np.sort(x.sum(1)), np.sort(images.reshape(300, -1).sum(1) / 255), rtol=1e-12)
    assert (y != digits).any()
    with pytest.raises(ValueError, match="mnist has 28 x 28 pixels"):
        binding.bound("task", "mnist")(30, 4, generator=stream(0, "m"), files=mnist())


def test_the_pixels_of_digits_are_cut_in_two():
    split = binding.bound("task", "digits")
    (x, _), (x_test, y_test) = split(1700, 97, generator=stream(0, "d"), files={})
    assert x.min() == 0
    assert x.max() == 1
    whole, _ = split(1796, 1, generator=stream(0, "d"), files={})
    np.testing.assert_array_equal(whole[0][:1700], x)
    np.testing.assert_array_equal(whole[1][1700:], y_test[::-1][:96])
    assert len({*map(bytes, np.concatenate([x, x_test]))}) > 1700
    with pytest.raises(ValueError, match=r"n_train \+ n_test is 1700 \+ 98; it must be at most 1797"):
        split(1700, 98, generator=stream(0, "d"), files={})


def test_images_of_mnist_keep_their_digits():
    content = mnist(train=300, test=100, size=(28, 28))
    (x, y), _ = bound("task", "mnist")(300, 40, generator=stream(0, "m"), files=content)
    images, digits = idx.pair(tuple(content[name] for name in mnist_parity.FILES[:2]), names=("a", "b"))
    rows = [np.flatnonzero((images.reshape(300, -1) / 255 == row).all(1))[0] for row in x]
    np.testing.assert_array_equal(y, digits[rows])
