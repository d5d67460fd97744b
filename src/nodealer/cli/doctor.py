"""`nodealer doctor`"""


def doctor() -> None: ...
