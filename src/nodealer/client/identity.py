"""A user's identity at every table: one key per user, in a file that only its owner can read.

identity.json   the name, the public key, and the secret key: in clear, or sealed with a passphrase

scrypt makes guessing a passphrase slow. Its parameters are in the file and are range-checked before use: a file from
elsewhere must not exhaust the memory, nor be so cheap to guess that the passphrase gives no protection.
"""

from __future__ import annotations

import hashlib
import os
import stat
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from nodealer.client.durable_files import FOLDER_MODE, disk_errors, locked_folder, write_atomically
from nodealer.errors import BadParameter, DecodeError, HomeUnusable
from nodealer.keys import KEY_BYTES, TAG_BYTES, Identity, seal, unseal
from nodealer.log.names import refuse_bad_name
from nodealer.tape import framed
from nodealer.wire import Message, decode, encode

FORMAT: Final = "nodealer-identity"
VERSION: Final = 1
IDENTITY: Final = "identity.json"
IDENTITY_BYTES_MAX: Final = 4096
SALT_BYTES: Final = 16
PASSPHRASE_LENGTHS: Final = range(8, 1025)
#: The scrypt work factor: 128 MB and about half a second. It may be raised; older files can still be read.
WORK: Final = 17
_WORKS: Final = (14, 20)
_BLOCKS: Final = 8

_Key = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
_SealedKey = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES + TAG_BYTES, max_length=KEY_BYTES + TAG_BYTES)]
_Salt = Annotated[bytes, msgspec.Meta(min_length=SALT_BYTES, max_length=SALT_BYTES)]

Entropy = Callable[[int], bytes]


class Clear(Message, frozen=True, tag="clear"):
    """A secret key without a passphrase."""

    key: _Key

    def __repr__(self) -> str:
        """Leave out the secret key."""
        return "<Clear>"


class Sealed(Message, frozen=True, tag="sealed"):
    """A secret key sealed with a passphrase: the sealing key is scrypt(passphrase, salt, N = 2^work, r = 8, p = 1)."""

    salt: _Salt
    work: Annotated[int, msgspec.Meta(ge=_WORKS[0], le=_WORKS[1])]
    key: _SealedKey


class SavedIdentity(Message, frozen=True):
    """The contents of identity.json."""

    format: Literal["nodealer-identity"]
    version: Literal[1]
    name: str | None
    public: _Key
    secret: Clear | Sealed


@dataclass(frozen=True)
class UserIdentity:
    """A user's identity as stored on disk. Call `unlock` to get the key that signs."""

    name: str | None
    public: bytes
    _secret: Clear | Sealed = field(repr=False)

    @property
    def has_passphrase(self) -> bool:
        """Return whether `unlock` needs a passphrase."""
        return isinstance(self._secret, Sealed)

    def unlock(self, passphrase: str | None = None) -> Identity:
        """Return the key that signs. Raise `BadParameter` if the passphrase is wrong or missing."""
        return Identity(self._seed(passphrase))

    def _seed(self, passphrase: str | None) -> bytes:
        """Return the secret key's seed. Raise `BadParameter` if the passphrase is wrong or missing."""
        if isinstance(self._secret, Clear):
            return self._secret.key
        if passphrase is None:
            raise BadParameter("your key is protected by a passphrase; enter it to sign")
        try:
            key = _stretch(passphrase, self._secret.salt, self._secret.work)
            return unseal(key, _associated_data(self.public), self._secret.key)
        except DecodeError:
            raise BadParameter("wrong passphrase") from None


def _stretch(passphrase: str, salt: bytes, work: int) -> bytes:
    """Derive a sealing key from a passphrase."""
    # Keyboards encode accented letters differently.
    text = unicodedata.normalize("NFKC", passphrase).encode(errors="surrogateescape")
    memory = 128 * _BLOCKS * (1 << work) + (1 << 20)
    return hashlib.scrypt(text, salt=salt, n=1 << work, r=_BLOCKS, p=1, maxmem=memory, dklen=KEY_BYTES)


def _associated_data(public: bytes) -> bytes:
    """Return the bytes that bind a sealed secret key to its public key."""
    return framed("nodealer/identity/v1", public)


# --- The file ---


def load_or_create_identity(folder: Path, entropy: Entropy) -> UserIdentity:
    """Return the identity in a folder, creating it with a new key on first use."""
    _create_folder(folder)
    with locked_folder(folder):
        found = _read(folder)
        if found is None:
            seed = entropy(KEY_BYTES)
            found = UserIdentity(None, Identity(seed).public, Clear(seed))
            _write(folder, found)
        return found


def change_name(folder: Path, name: str) -> UserIdentity:
    """Save the user's default name."""
    try:
        refuse_bad_name(name, "the name")
    except DecodeError as error:
        raise BadParameter(str(error)) from None
    with locked_folder(folder):
        before = _require_identity(folder)
        after = UserIdentity(name, before.public, before._secret)
        _write(folder, after)
        return after


def refuse_passphrase(new: str | None) -> None:
    """Raise `BadParameter` if a new passphrase is too short or too long. None means no passphrase and is allowed."""
    if new is not None and len(new) not in PASSPHRASE_LENGTHS:
        raise BadParameter(f"a passphrase must have {PASSPHRASE_LENGTHS[0]} to {PASSPHRASE_LENGTHS[-1]} characters")


def change_passphrase(
    folder: Path, old: str | None, new: str | None, entropy: Entropy, work: int = WORK
) -> UserIdentity:
    """Seal the key with another passphrase; None removes it. `old` is required if there is one now.

    Older copies of the file, for example in backups, can still be opened with the old passphrase.
    """
    refuse_passphrase(new)
    with locked_folder(folder):
        before = _require_identity(folder)
        seed = before._seed(old)
        if Identity(seed).public != before.public:
            raise HomeUnusable(f"{folder / IDENTITY} is damaged: its public and secret key do not match")
        secret: Clear | Sealed = Clear(seed)
        if new is not None:
            # A fresh salt, so that each derived key seals only one plaintext.
            salt = entropy(SALT_BYTES)
            secret = Sealed(salt, work, seal(_stretch(new, salt, work), _associated_data(before.public), seed))
        after = UserIdentity(before.name, before.public, secret)
        _write(folder, after)
        return after


def _create_folder(folder: Path) -> None:
    """Create the folder, with access for its owner only, unless it exists."""
    with disk_errors(folder):
        if not folder.is_dir():
            folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            folder.chmod(FOLDER_MODE)


def _require_identity(folder: Path) -> UserIdentity:
    """Return the identity in a folder. Raise `HomeUnusable` if there is none."""
    found = _read(folder)
    if found is None:
        raise HomeUnusable(f"no identity found in {folder}")
    return found


def _write(folder: Path, me: UserIdentity) -> None:
    """Replace the identity file atomically, with the secret key in it."""
    write_atomically(folder / IDENTITY, encode(SavedIdentity(FORMAT, VERSION, me.name, me.public, me._secret)))


def _read(folder: Path) -> UserIdentity | None:
    """Read the identity file; None if there is none. Raise `HomeUnusable` if it is damaged or open to other users."""
    path = folder / IDENTITY
    with disk_errors(path):
        _refuse_open_to_others(folder, os.stat(folder), stat.S_IWGRP | stat.S_IWOTH, "change files in", "700")
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return None
        with file:
            _refuse_open_to_others(path, os.fstat(file.fileno()), stat.S_IRWXG | stat.S_IRWXO, "read", "600")
            data = file.read(IDENTITY_BYTES_MAX + 1)
    try:
        saved = decode(SavedIdentity, data, what=IDENTITY, limit=IDENTITY_BYTES_MAX)
        if saved.name is not None:
            refuse_bad_name(saved.name, "the name")
    except DecodeError as error:
        raise HomeUnusable(f"{path} is damaged: {error}") from None
    if isinstance(saved.secret, Clear) and Identity(saved.secret.key).public != saved.public:
        raise HomeUnusable(f"{path} is damaged: its public and secret key do not match")
    return UserIdentity(saved.name, saved.public, saved.secret)


def _refuse_open_to_others(path: Path, status: os.stat_result, bits: int, what: str, mode: str) -> None:
    """Raise `HomeUnusable` if the file or folder belongs to another user or has any of the mode `bits`."""
    if status.st_uid != os.geteuid():
        raise HomeUnusable(f"{path} belongs to another user, who may have a copy of your key")
    if status.st_mode & bits:
        raise HomeUnusable(
            f"other users of this machine can {what} {path}. Run `chmod {mode} {path}`. If one of them may have copied "
            "the key, delete it and tell the people you play with"
        )
