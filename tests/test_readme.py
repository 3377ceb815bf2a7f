"""README and help promise what is true: their examples run, and the picture shows what commands say."""

from __future__ import annotations

from tests.picture import PICTURE, drawn, recorded, words


def test_the_picture_shows_what_the_commands_say() -> None:
    """The commands in the picture still answer so; `python -m tests.picture` draws it anew."""
    assert words(PICTURE.read_text("utf-8")) == words(drawn(recorded()))


def test_the_picture_asks_no_server() -> None:
    """Who looks at the picture fetches nothing: it names no address but those of the form and its maker."""
    addresses = PICTURE.read_text("utf-8").split("http")[1:]
    assert all(address.startswith(("://www.w3.org/", "s://www.textualize.io")) for address in addresses)
