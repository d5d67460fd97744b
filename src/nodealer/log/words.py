"""stub"""


def session_words(x: bytes) -> tuple[str, ...]:
    return ()


def key_words(x: bytes) -> tuple[str, ...]:
    return ()
