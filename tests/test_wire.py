"""One encoding of each message: everything else that a reader of JSON might take is refused."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodealer import wire
from nodealer.errors import BadParameter, DecodeError
from nodealer.tape import digest
from sampling import times


class Play(wire.Message, tag="play", frozen=True):
    seat: wire.SeatNumber
    number: wire.Natural
    name: str
    proof: bytes
    head: wire.Digest
    cards: tuple[int, ...] = ()
    note: str | None = None


class Pass(wire.Message, tag="pass", frozen=True):
    seat: wire.SeatNumber


class Nested(wire.Message, tag="nested", frozen=True):
    inner: list[Nested]


HEAD = digest("head")
MESSAGE = Play(1, 7, "Ada", b"\0\1\2\3", HEAD, (3, 1, 2), None)
DATA = wire.encode(MESSAGE)


def decode(data: bytes) -> Play:
    return wire.decode(Play, data, what="a play")


def refused(data: bytes, match: str = "") -> None:
    with pytest.raises(DecodeError, match=match or "a play"):
        decode(data)


def test_a_message_comes_back() -> None:
    assert decode(DATA) == MESSAGE
    assert wire.encode(decode(DATA)) == DATA
    assert b" " not in DATA and b"\n" not in DATA


def test_unions_go_by_their_tag() -> None:
    kind = Play | Pass
    assert wire.decode(kind, DATA, what="x") == MESSAGE
    assert wire.decode(kind, wire.encode(Pass(2)), what="x") == Pass(2)
    with pytest.raises(DecodeError):
        decode(wire.encode(Pass(2)))


def test_doubled_keys() -> None:
    for text in (b'"seat":1', b'"name":"Ada"', b'"type":"play"', b'"note":null'):
        assert text in DATA
        refused(DATA.replace(text, text + b"," + text))
        refused(DATA[:-1] + b"," + text + b"}")


def test_white_space() -> None:
    for at in range(len(DATA) + 1):
        for space in (b" ", b"\n", b"\t", b"\r"):
            changed = DATA[:at] + space + DATA[at:]
            try:
                message = decode(changed)
            except DecodeError:
                continue
            # Within a text it is another text, and these are its bytes.
            assert wire.encode(message) == changed and message.name != MESSAGE.name


def test_escapes() -> None:
    for plain, escaped in (
        (b"Ada", b"\\u0041da"),
        (b"Ada", b"A\\u0064a"),
        (b"seat", b"s\\u0065at"),
        (b"play", b"pl\\u0061y"),
    ):
        refused(DATA.replace(plain, escaped))
    for name in ("é", "\u2028", "/", "\x7f", "😀"):
        data = wire.encode(msgspec.structs.replace(MESSAGE, name=name))
        assert decode(data).name == name
        refused(data.replace(name.encode(), "".join(f"\\u{unit:04x}" for unit in _utf16(name)).encode()), "canonical")
    refused(DATA.replace(b"Ada", b"\\/"), "canonical")
    # Where an escape is needed there is one form of it.
    data = wire.encode(msgspec.structs.replace(MESSAGE, name='a"b\\c\n\x01'))
    assert decode(data).name == 'a"b\\c\n\x01'
    refused(data.replace(b"\\n", b"\\u000a"), "canonical")
    refused(data.replace(b'\\"', b"\\u0022"), "canonical")


def _utf16(text: str) -> list[int]:
    data = text.encode("utf-16-le")
    return [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]


@pytest.mark.parametrize(
    "name", [b"\\ud800", b"\\udc00", b"\\ud800\\ud800", b"\xed\xa0\x80", b"\xff", b"\xc0\x80", b"\xf8\x88\x80\x80\x80"]
)
def test_text_that_is_not_unicode(name: bytes) -> None:
    refused(DATA.replace(b"Ada", name), "cannot be read")


def test_base64_has_one_form() -> None:
    assert b'"AAECAw=="' in DATA
    # Bits that say nothing, missing or doubled padding, the other alphabet, white space, nothing that is base64.
    for other in (
        b"AAECAx==",
        b"AAECA//==",
        b"AAECAw=",
        b"AAECAw",
        b"AAECAw===",
        b"AAECAw==\\n",
        b"AAEC Aw==",
        b"A",
        b"=",
        b"====",
    ):
        refused(DATA.replace(b"AAECAw==", other))
    data = wire.encode(msgspec.structs.replace(MESSAGE, proof=b"\xfb\xff\xfe"))
    assert b'"+//+"' in data
    refused(data.replace(b"+//+", b"-__-"))
    for tail in range(1, 16):
        refused(DATA.replace(b"AAECAw==", b"AAECA" + bytes([b"wxyz0123456789+/"[tail]]) + b"=="), "canonical")


@pytest.mark.parametrize(
    "number",
    [
        b"-0",
        b"07",
        b"7.0",
        b"7e0",
        b"70e-1",
        b"+7",
        b"-1",
        b"0x7",
        b"7.",
        b".7",
        b'"7"',
        b"true",
        b"null",
        b"NaN",
        b"Infinity",
        b"[7]",
    ],
)
def test_numbers_have_one_form(number: bytes) -> None:
    refused(DATA.replace(b'"number":7', b'"number":' + number))
    refused(DATA.replace(b'"number":7', b'"number":0').replace(b'"number":0', b'"number":' + number))


def test_big_integers() -> None:
    def with_number(number: int) -> bytes:
        return DATA.replace(b'"number":7', f'"number":{number}'.encode())

    assert decode(with_number(2**53 - 1)).number == 2**53 - 1
    for number in (2**53, 2**63, 2**64, 2**64 + 7, 10**400, 10**4000, -(2**63)):
        refused(with_number(number), "cannot be read")
    refused(DATA.replace(b'"number":7', b'"number":' + b"9" * 100_000), "cannot be read")


def test_limits_of_fields() -> None:
    refused(DATA.replace(b'"seat":1', b'"seat":20'))
    refused(DATA.replace(b'"seat":1', b'"seat":-1'))
    for size in (0, len(HEAD) - 1, len(HEAD) + 1):
        refused(wire.encode(msgspec.structs.replace(MESSAGE, head=bytes(size))))


def test_trailing_bytes() -> None:
    for more in (b" ", b"\n", b"\0", b"}", b",", DATA, b"null"):
        refused(DATA + more)
        refused(more + DATA)
    for end in range(len(DATA)):
        refused(DATA[:end])


def test_byte_order_mark_and_other_encodings() -> None:
    refused(b"\xef\xbb\xbf" + DATA)
    refused(DATA.decode().encode("utf-16"))


def test_keys_missing_unknown_or_in_another_order() -> None:
    refused(DATA.replace(b'"seat":1,', b""))
    refused(DATA.replace(b'"seat":1', b'"seat":1,"colour":2'))
    refused(DATA.replace(b'"seat":1,"number":7', b'"number":7,"seat":1'), "canonical")
    # A field that has its default is written all the same.
    refused(DATA.replace(b',"note":null', b""), "canonical")
    refused(DATA.replace(b'"type":"play"', b'"type":"pass"'))


def test_deep_nesting() -> None:
    for opening in (b"[", b'{"a":', b'{"type":"nested","inner":['):
        for data in (opening * 100_000, b'{"type":"play","x":' + opening * 100_000):
            refused(data, "nests too deep")
        with pytest.raises(DecodeError, match="nests too deep"):
            wire.decode(Nested, opening * 100_000, what="nested")
    deep = b'{"type":"nested","inner":[' * 50_000 + b"]}" * 50_000
    with pytest.raises(DecodeError, match="nests too deep"):
        wire.decode(Nested, deep, what="nested")
    # Brackets that close in texts do not hide those that open outside of them.
    for text in (b'"]"', rb'"\"]\\"', b'"]]{"'):
        hidden = (b"[" + text + b",") * 200 + b"1" + b"]" * 200
        with pytest.raises(DecodeError, match="the nest nests too deep"):
            wire.decode(Any, hidden, what="the nest")
    refused(b'"' + rb"\"[" * 500_000, "nests too deep")
    shallow = b'{"type":"nested","inner":[' * 20 + b"]}" * 20
    assert wire.encode(wire.decode(Nested, shallow, what="nested")) == shallow


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":[', b"]}")])
def test_how_deep_all_can_read(opening: bytes, closing: bytes) -> None:
    """Not as deep as the stack of whoever reads: two who read an entry would not agree whether it is one."""
    most = wire.DEPTH_MAX // len(opening.translate(None, b'"a:'))
    data = opening * most + closing * most
    wide = b"[" + b",".join([b"[]"] * 1000) + b"]"
    for good in (data, wide):
        assert wire.encode(wire.decode(Any, good, what="the nest")) == good
    with pytest.raises(DecodeError, match="the nest nests too deep"):
        wire.decode(Any, opening + data + closing, what="the nest")


def test_what_can_just_be_read_but_not_written_again() -> None:
    """How deep that is hangs on the stack, so all depths up to where nothing can be read."""
    refused = 0
    for depth in range(sys.getrecursionlimit() + 10):
        try:
            wire.decode(dict, b'{"a":' * depth + b"1" + b"}" * depth, what="the nest")
        except DecodeError:
            refused += 1
    assert refused


def test_too_large_is_refused_before_it_is_read() -> None:
    with pytest.raises(DecodeError, match=f"has {len(DATA)} bytes, more than {len(DATA) - 1}"):
        wire.decode(Play, DATA, what="a play", limit=len(DATA) - 1)
    assert wire.decode(Play, DATA, what="a play", limit=len(DATA)) == MESSAGE
    # Not JSON at all: the size is what is named.
    with pytest.raises(DecodeError, match="more than"):
        decode(b"\xff" * (wire.MESSAGE_BYTES_MAX + 1))


@pytest.mark.parametrize("data", [DATA.decode(), bytearray(DATA), memoryview(DATA), None, 5])
def test_only_bytes(data: object) -> None:
    with pytest.raises(BadParameter, match="must be bytes"):
        decode(data)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "data", [b"", b"null", b"{}", b"[]", b"0", b'""', b"\0", b"{", b'{"type":"play"}', b'{"type":5}']
)
def test_nothing_like_a_message(data: bytes) -> None:
    refused(data)


def test_every_change_of_one_byte() -> None:
    """Refused, or another message whose encoding is exactly these bytes."""
    taken = 0
    for at in range(len(DATA)):
        for value in range(256):
            if value == DATA[at]:
                continue
            changed = DATA[:at] + bytes([value]) + DATA[at + 1 :]
            try:
                message = decode(changed)
            except DecodeError:
                continue
            taken += 1
            assert message != MESSAGE
            assert wire.encode(message) == changed
    assert taken > 1000


def test_every_byte_left_out_or_doubled() -> None:
    for at in range(len(DATA)):
        for changed in (DATA[:at] + DATA[at + 1 :], DATA[:at] + DATA[at : at + 1] + DATA[at:]):
            try:
                message = decode(changed)
            except DecodeError:
                continue
            assert message != MESSAGE and wire.encode(message) == changed


@settings(max_examples=times(60, deep=1000), deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    try:
        message = decode(data)
    except DecodeError:
        return
    assert wire.encode(message) == data


@settings(max_examples=times(60, deep=1000), deadline=None)
@given(
    st.builds(
        Play,
        seat=st.integers(0, 19),
        number=st.integers(0, 2**53 - 1),
        name=st.text(),
        proof=st.binary(max_size=100),
        head=st.binary(min_size=len(HEAD), max_size=len(HEAD)),
        cards=st.lists(st.integers(-(2**63), 2**64 - 1)).map(tuple),
        note=st.none() | st.text(),
    )
)
def test_any_message_comes_back(message: Play) -> None:
    assert decode(wire.encode(message)) == message
