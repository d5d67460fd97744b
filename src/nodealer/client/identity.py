"""Who somebody is at every table: one key for each user, in a file that only its owner can read.

identity.json   the name, the public key, and the secret: as it is, or sealed under a passphrase

A passphrase is made slow to try by scrypt. Its parameters are in the file, and are limited before they are used: a file
from elsewhere must not take all memory, nor be so quick to try that it is no protection.
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

from nodealer.client.durable_files import FOLDER_MODE, alone, disk, write_whole
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
#: 128 MB and about half a second. It may go up, and old files are still read.
WORK: Final = 17
_WORKS: Final = (14, 20)
_BLOCKS: Final = 8

_Key = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES, max_length=KEY_BYTES)]
_SealedKey = Annotated[bytes, msgspec.Meta(min_length=KEY_BYTES + TAG_BYTES, max_length=KEY_BYTES + TAG_BYTES)]
_Salt = Annotated[bytes, msgspec.Meta(min_length=SALT_BYTES, max_length=SALT_BYTES)]

Entropy = Callable[[int], bytes]


class Clear(Message, frozen=True, tag="clear"):
    """A secret without a passphrase."""

    key: _Key

    def __repr__(self) -> str:
        return "<Clear>"


class Sealed(Message, frozen=True, tag="sealed"):
    """A secret under a passphrase: sealed with scrypt(passphrase, salt, N = 2^work, r = 8, p = 1)."""

    salt: _Salt
    work: Annotated[int, msgspec.Meta(ge=_WORKS[0], le=_WORKS[1])]
    key: _SealedKey


class SavedIdentity(Message, frozen=True):
    """What identity.json says."""

    format: Literal["nodealer-identity"]
    version: Literal[1]
    name: str | None
    public: _Key
    secret: Clear | Sealed


@dataclass(frozen=True)
class UserIdentity:
    """A user's identity, as it is on the disk. What signs is had by `unlock`."""

    name: str | None
    public: bytes
    _secret: Clear | Sealed = field(repr=False)

    @property
    def has_passphrase(self) -> bool:
        """Whether `unlock` needs one."""
        return isinstance(self._secret, Sealed)

    def unlock(self, passphrase: str | None = None) -> Identity:
        """The key that signs. Raises `BadParameter` for a wrong passphrase, and where one is missing."""
        return Identity(self._seed(passphrase))

    def _seed(self, passphrase: str | None) -> bytes:
        if isinstance(self._secret, Clear):
            return self._secret.key
        if passphrase is None:
            raise BadParameter("your key has a passphrase, and nothing can be signed without it")
        try:
            key = _stretched(passphrase, self._secret.salt, self._secret.work)
            return unseal(key, _aad(self.public), self._secret.key)
        except DecodeError:
            raise BadParameter("that is not the passphrase of your key") from None


def _stretched(passphrase: str, salt: bytes, work: int) -> bytes:
    # Keyboards differ in how they write an accent.
    text = unicodedata.normalize("NFKC", passphrase).encode(errors="surrogateescape")
    memory = 128 * _BLOCKS * (1 << work) + (1 << 20)
    return hashlib.scrypt(text, salt=salt, n=1 << work, r=_BLOCKS, p=1, maxmem=memory, dklen=KEY_BYTES)


def _aad(public: bytes) -> bytes:
    return framed("nodealer/identity/v1", public)


# --- The file ---


def my_identity(folder: Path, entropy: Entropy) -> UserIdentity:
    """The identity in a folder, made when it is asked for the first time."""
    _make_folder(folder)
    with alone(folder):
        found = _read(folder)
        if found is None:
            seed = entropy(KEY_BYTES)
            found = UserIdentity(None, Identity(seed).public, Clear(seed))
            _write(folder, found)
        return found


def change_name(folder: Path, name: str) -> UserIdentity:
    """Remember what the user is called where nothing else is said."""
    try:
        refuse_bad_name(name, "the name")
    except DecodeError as error:
        raise BadParameter(str(error)) from None
    with alone(folder):
        before = _there(folder)
        after = UserIdentity(name, before.public, before._secret)
        _write(folder, after)
        return after


def refuse_passphrase(new: str | None) -> None:
    """Raise `BadParameter` for a passphrase that is too short or too long to be one; None is no passphrase."""
    if new is not None and len(new) not in PASSPHRASE_LENGTHS:
        raise BadParameter(f"a passphrase has {PASSPHRASE_LENGTHS[0]} to {PASSPHRASE_LENGTHS[-1]} characters")


def change_passphrase(
    folder: Path, old: str | None, new: str | None, entropy: Entropy, work: int = WORK
) -> UserIdentity:
    """Seal the key under another passphrase; None for none. The old one is needed where there is one.

    Copies of the file as it was, in backups for instance, are still opened by the old one.
    """
    refuse_passphrase(new)
    with alone(folder):
        before = _there(folder)
        seed = before._seed(old)
        if Identity(seed).public != before.public:
            raise HomeUnusable(f"{folder / IDENTITY} is damaged: its two keys do not belong together")
        secret: Clear | Sealed = Clear(seed)
        if new is not None:
            # A fresh salt, so that this key seals this one text.
            salt = entropy(SALT_BYTES)
            secret = Sealed(salt, work, seal(_stretched(new, salt, work), _aad(before.public), seed))
        after = UserIdentity(before.name, before.public, secret)
        _write(folder, after)
        return after


def _make_folder(folder: Path) -> None:
    with disk(folder):
        if not folder.is_dir():
            folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            folder.chmod(FOLDER_MODE)


def _there(folder: Path) -> UserIdentity:
    found = _read(folder)
    if found is None:
        raise HomeUnusable(f"there is no identity in {folder}")
    return found


def _write(folder: Path, me: UserIdentity) -> None:
    write_whole(folder / IDENTITY, encode(SavedIdentity(FORMAT, VERSION, me.name, me.public, me._secret)))


def _read(folder: Path) -> UserIdentity | None:
    path = folder / IDENTITY
    with disk(path):
        _refuse_open_to_others(folder, os.stat(folder), stat.S_IWGRP | stat.S_IWOTH, "change what is in", "700")
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
        raise HomeUnusable(f"{path} is damaged: its two keys do not belong together")
    return UserIdentity(saved.name, saved.public, saved.secret)


def _refuse_open_to_others(path: Path, status: os.stat_result, bits: int, what: str, mode: str) -> None:
    if status.st_uid != os.geteuid():
        raise HomeUnusable(f"{path} belongs to another user, who may have your key")
    if status.st_mode & bits:
        raise HomeUnusable(
            f"other users of this machine can {what} {path}: `chmod {mode} {path}` closes it; if one of them may have "
            "been there, delete the key, and tell those who know you by it"
        )
