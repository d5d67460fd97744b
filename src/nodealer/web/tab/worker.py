"""The interface of a tab's worker: connects a seat to the browser's storage, sockets, clock and entropy.

This is the only module that knows about the browser. Secrets stay in this worker: it exchanges only messages with the
page.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import msgspec
from pyodide.ffi import JsException, create_once_callable, create_proxy, to_js  # type: ignore[import-not-found]

from nodealer.client.pairing import PairingEnvironment, use_code
from nodealer.client.setup import TableSetup
from nodealer.client.table_client import NameTaken
from nodealer.engine.store import MemoryPlayerStore, PlayerStore
from nodealer.errors import BadParameter, HomeUnusable, NodealerError, RelayError
from nodealer.keys import KEY_BYTES, Identity, host_mark
from nodealer.log.control_characters import escape_controls
from nodealer.log.names import refuse_bad_name
from nodealer.relay.client_protocol import ConnectionLost, RelayClient
from nodealer.relay.invitations import (
    SECRET_BYTES,
    TABLE_BYTES,
    Invitation,
    normalize_page_address,
    normalize_relay_address,
    parse_link,
)
from nodealer.relay.messages import PAGE_BYTES_MAX
from nodealer.relay.pairing import parse_code
from nodealer.relay.sealing import TableSecret
from nodealer.tape import ROOT_BYTES
from nodealer.web import messages as doc
from nodealer.web.tab.contacts import BrowserContacts, UpdateContacts
from nodealer.web.tab.opfs_store import (
    ExclusiveFile,
    SavedTab,
    StoredTable,
    TabStore,
    new_saved,
    read_saved,
    rejoin_invitation,
)
from nodealer.web.tab.practice import Bots, BotTransport, offers, practice_setup
from nodealer.web.tab.setup import host_offers, hosted_table_of, read_host_request
from nodealer.web.tab.table import LOG, TabEnvironment, TabTable

#: How many received bytes may wait. The connection to a relay that sends more is closed.
WAITING_BYTES_MAX: Final = 64 << 20
#: Seconds for a relay to accept a connection, and to answer.
DIAL_WITHIN: Final = 20.0
ANSWER_WITHIN: Final = 60.0


class OpfsStore:
    """A file in the browser's private file system, which no other tab has open."""

    def __init__(self, handle: Any) -> None:
        """Use the browser's handle of an open file."""
        self._handle = handle

    def read(self) -> bytes:
        """Return the whole content. Like the other methods, raises `OSError` if the browser refuses."""
        with _storage_errors():
            return bytes(self._handle.all().to_bytes())

    def write(self, data: bytes, at: int) -> None:
        """Write the data at this offset."""
        with _storage_errors():
            self._handle.put(to_js(data), at)

    def flush(self) -> None:
        """Wait until everything written is on the disk."""
        with _storage_errors():
            self._handle.flush()

    def truncate(self, size: int) -> None:
        """Cut the file to this many bytes."""
        with _storage_errors():
            self._handle.truncate(size)

    def close(self) -> None:
        """Release the file, so that another tab can open it."""
        self._handle.close()


class _storage_errors:
    """Turns JavaScript errors into the `OSError` that a store raises."""

    def __enter__(self) -> None:
        """Do nothing; errors are handled on exit."""
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Raise an `OSError` in place of a JavaScript exception. Other exceptions pass through."""
        if isinstance(error, JsException):
            raise OSError(f"{error.name}: {error.message}") from None


class _Socket:
    """A WebSocket of the browser. Messages arrive even if the page is in the background."""

    def __init__(self, socket: Any) -> None:
        """Listen to the events of the browser's socket, which is still connecting."""
        self._socket = socket
        self._queue: asyncio.Queue[bytes | str | ConnectionLost] = asyncio.Queue()
        self._waiting_bytes = 0
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        socket.binaryType = "arraybuffer"
        self._proxies = [create_proxy(one) for one in (self._on_open, self._on_message, self._on_close)]
        socket.onopen, socket.onmessage, socket.onclose = self._proxies

    def _on_open(self, event: Any) -> None:
        """Handle the browser's `open` event: the connection is ready."""
        if not self.opened.done():
            self.opened.set_result(None)

    def _on_message(self, event: Any) -> None:
        """Queue a message, or close the connection if too much is waiting."""
        data = event.data
        size = len(data) if isinstance(data, str) else int(data.byteLength)
        self._waiting_bytes += size
        if size > PAGE_BYTES_MAX or self._waiting_bytes > WAITING_BYTES_MAX:
            self._queue.put_nowait(ConnectionLost("it sent too much at once"))
            self._socket.close()
            return
        self._queue.put_nowait(data if isinstance(data, str) else data.to_bytes())

    def _on_close(self, event: Any) -> None:
        """Handle the browser's `close` event: whoever waits for the connection or a message gets `ConnectionLost`."""
        gone = ConnectionLost(str(event.reason or "")[:200])
        if not self.opened.done():
            self.opened.set_exception(gone)
        self._queue.put_nowait(gone)

    async def send(self, message: bytes | str, /) -> None:
        """Send a message. Raises `ConnectionLost` if the connection is closed."""
        if self._socket.readyState != 1:
            raise ConnectionLost("the connection is closed")
        self._socket.send(message if isinstance(message, str) else to_js(message))

    async def recv(self) -> bytes | str:
        """Return the next message. Raises `ConnectionLost` if the connection is closed."""
        message = await self._queue.get()
        if isinstance(message, ConnectionLost):
            raise message
        self._waiting_bytes -= len(message)
        return message

    async def close(self) -> None:
        """Close the connection and release the callbacks."""
        self._socket.onopen = self._socket.onmessage = self._socket.onclose = None
        self._socket.close()
        for proxy in self._proxies:
            proxy.destroy()


class Tab:
    """The seat of this tab. `browser` is what worker.js provides: post, dial, store, bots."""

    def __init__(self, browser: Any) -> None:
        """Start without a table. `browser` is the object that worker.js passes in."""
        self._browser = browser
        self._contacts = BrowserContacts(self._save_contacts)
        self._environment = TabEnvironment(
            secrets.token_bytes, self._connect, _wall_clock_ms, browser.document, contacts=self._contacts
        )
        self._table = TabTable(self._environment, self._deal)
        #: The key of this browser, once `load_key` has loaded it.
        self._key = secrets.token_bytes(KEY_BYTES)
        self._link = ""
        self._task: asyncio.Task[None] | None = None
        self._bot_transport: BotTransport | None = None

    def receive(self, text: str) -> None:
        """Handle a message from the page."""
        self._table.receive(text)

    def receive_frame(self, frame: Any) -> None:
        """Take a frame from the bots."""
        if self._bot_transport is not None:
            self._bot_transport.receive(frame.to_bytes())

    # --- Identity ---

    def load_key(self, handle: Any) -> None:
        """Load this browser's key, by which others recognize its person, or store a new one in this file."""
        store = OpfsStore(handle)
        try:
            data = store.read()
            if len(data) == KEY_BYTES:
                self._key = data
            else:
                store.truncate(0)
                store.write(self._key, 0)
                store.flush()
        except OSError as error:
            raise HomeUnusable(f"this browser could not store your key: {error}") from None
        finally:
            store.close()

    def load_contacts(self, data: Any) -> None:
        """Load the players this person has met."""
        self._contacts.load(data.to_bytes())

    def _save_contacts(self, update: UpdateContacts) -> None:
        """Change the stored list of players."""
        self._browser.players(create_once_callable(lambda data: to_js(update(data.to_bytes()))))

    # --- Requests from the page ---

    def practise(self, name: str) -> None:
        """Show what can be practised."""
        self._table.start("player", name, offers(name))

    def describe_link(self, link: str) -> str:
        """Describe a link as JSON, without its secrets: which table, whether only to watch, and which relays."""
        invitation = parse_link(link)
        description = {"table": invitation.table, "watch": not invitation.can_play, "relays": invitation.relays}
        return msgspec.json.encode(description).decode()

    def link_of(self, line: str) -> str:
        """Return the link in the first line of a stored seat. Raises `HomeUnusable` if it is not one."""
        return read_saved(line.encode()).link

    def show_log(self, log: Any) -> None:
        """Verify a saved log and show it."""
        LOG.write_bytes(log.to_bytes())
        self._table.show_log(LOG)

    def join(self, link: str, name: str | None, handle: Any) -> None:
        """Join the table of a link, or return to it.

        `handle` is the file that stores the seat, or None without storage.
        """
        self._link = link
        self._start(lambda: self._join(link, name, handle))

    async def _join(self, link: str, name: str | None, handle: Any) -> None:
        """Play at the table of a link."""
        invitation = parse_link(link)
        home, hosted = self._open_seat(handle, name if invitation.can_play else None, link)
        await self._play(home, invitation, hosted)

    def resume(self, handle: Any) -> None:
        """Return to a table with nothing but its stored seat."""
        self._start(lambda: self._resume(handle))

    async def _resume(self, handle: Any) -> None:
        """Play at the table of a stored seat."""
        home = _open_store(handle, TabStore.open)
        self._link = home.saved.link
        await self._play(home, parse_link(home.saved.link), home.saved.hosted)

    def rename(self, name: str, handle: Any) -> None:
        """Join the same table again under another name.

        The stored seat starts over. Raises `BadParameter` if the seat has already agreed to a game or hosts the table.
        """
        try:
            refuse_bad_name(name, "your name")
            if handle is not None and not handle.empty():
                home = _open_store(handle, TabStore.open)
                if home.session is not None or home.saved.hosted is not None:
                    raise BadParameter("you cannot change your name at a table that you host or already play at")
                handle.truncate(0)
        except NodealerError:
            # Otherwise the next attempt would find the file open, in this very tab.
            if handle is not None:
                handle.close()
            raise
        self.join(self._link, name, handle)

    async def use_code(self, code: str, relay: str, name: str) -> str:
        """Return the link for a pairing code. Raises an error if the code or the relay does not work."""
        refuse_bad_name(name, "your name")
        environment = PairingEnvironment(secrets.token_bytes, self._connect, time.monotonic)
        invitation = await use_code(
            parse_code(code), normalize_relay_address(relay), Identity(self._key), name, environment
        )
        return invitation.link

    def offers(self) -> str:
        """Return what can be hosted here, as JSON."""
        return msgspec.json.encode(host_offers()).decode()

    def new_table(self, request_json: str) -> str:
        """Return the link of a new table that this tab will host, for a request in JSON. `host` then opens it.

        Raises `BadParameter` if it is not possible.
        """
        request = read_host_request(request_json)
        self._hosted = hosted_table_of(request)
        secret = TableSecret(secrets.token_bytes(SECRET_BYTES), secrets.token_bytes(TABLE_BYTES).hex(), 0)
        mark = host_mark(Identity(self._key).public)
        return Invitation(
            (normalize_relay_address(request.relay),), secret, mark, normalize_page_address(request.page)
        ).link

    def host(self, link: str, name: str, handle: Any) -> None:
        """Open the table that `new_table` returned a link for, and play there."""
        self._start(lambda: self._host(link, name, handle))

    async def _host(self, link: str, name: str, handle: Any) -> None:
        """Open a table and play there."""
        key, hosted, root = self._key, self._hosted, secrets.token_bytes(ROOT_BYTES)
        home: PlayerStore
        if handle is None:
            home = MemoryPlayerStore(name, Identity(key), root)
        else:
            home = _create_store(handle, new_saved(name, link, key, root, hosted))
        await self._play(home, parse_link(link), hosted)

    def _deal(self, deal: doc.Deal) -> None:
        """Start a practice table for a request from the page."""
        try:
            setup = practice_setup(deal)
        except NodealerError as error:
            self._table.ui.presenter.send(doc.Refused(str(error)))
            return
        self._browser.bots(msgspec.json.encode(deal).decode())
        self._start(lambda: self._practise(setup))

    async def _practise(self, setup: TableSetup) -> None:
        """Play at a table with bots."""
        self._bot_transport = BotTransport(lambda frame: self._browser.toBots(to_js(frame)))
        await self._table.practise(setup, self._bot_transport)

    # --- Helpers ---

    def _open_seat(self, handle: Any, name: str | None, link: str) -> tuple[PlayerStore, StoredTable | None]:
        """Return the seat stored in a file, a new one if the file is empty, or one in memory if there is no file."""
        key, root = self._key, secrets.token_bytes(ROOT_BYTES)
        if handle is None:
            return MemoryPlayerStore(name, Identity(key), root), None
        if handle.empty():
            return _create_store(handle, new_saved(name, link, key, root)), None
        home = _open_store(handle, TabStore.open)
        if home.name is None and name is not None:
            # A spectator has signed nothing, and can sit down like a newcomer.
            handle.truncate(0)
            return _create_store(handle, new_saved(name, link, key, root)), None
        return home, home.saved.hosted

    async def _play(self, home: PlayerStore, given: Invitation, hosted: StoredTable | None) -> None:
        """Play at a table over the network, and release the file at the end."""
        try:
            invitation, more = rejoin_invitation(home.saved, given) if isinstance(home, TabStore) else (given, ())
            await self._table.play(home, invitation, hosted, more)
        finally:
            if isinstance(home, TabStore):
                home.close()

    def _start(self, playing: Callable[[], Awaitable[None]]) -> None:
        """Start a table, after cancelling the one before."""
        if self._task is not None:
            self._task.cancel()
        self._task = asyncio.ensure_future(self._run_to_end(playing))

    async def _run_to_end(self, playing: Callable[[], Awaitable[None]]) -> None:
        """Play, and report to the page whatever ends a seat early: an error, a full disk, a crash of the core."""
        try:
            await playing()
        except asyncio.CancelledError:
            raise
        except NodealerError as error:
            kind = "name" if isinstance(error, NameTaken) else "storage" if isinstance(error, HomeUnusable) else "error"
            self._browser.fatal(escape_controls(str(error)), kind)
        except BaseException as error:
            reason = "".join(traceback.format_exception_only(error)).strip()
            self._browser.fatal(reason[:500], "crash")
            if isinstance(error, KeyboardInterrupt | SystemExit):
                raise

    @asynccontextmanager
    async def _connect(self, url: str) -> AsyncIterator[RelayClient]:
        """Connect to a relay. Raises `RelayError` if it does not answer."""
        try:
            socket = _Socket(self._browser.dial(url))
        except JsException as error:
            raise RelayError(f"cannot connect to a relay at {url}: {error.message}") from None
        try:
            try:
                async with asyncio.timeout(DIAL_WITHIN):
                    await socket.opened
            except (ConnectionLost, TimeoutError) as gone:
                raise RelayError(f"cannot connect to a relay at {url}: {gone or 'it did not answer'}") from None
            yield RelayClient(socket, url, ANSWER_WITHIN)
        finally:
            await socket.close()


class TabBots:
    """The bots of a practice table, in their own worker."""

    def __init__(self, browser: Any, deal: str) -> None:
        """Start the bots for a request `deal`, the page's JSON message. Frames go out through `browser`."""
        self._browser = browser
        message = doc.read_client_message(deal)
        if not isinstance(message, doc.Deal):
            raise BadParameter("the bots expected a request to start a table")
        self._bots = Bots(practice_setup(message), secrets.token_bytes, lambda frame: browser.frame(to_js(frame)))
        self._work_waiting = asyncio.Event()
        self._work_waiting.set()
        self._task = asyncio.ensure_future(self._run())

    def receive_frame(self, frame: Any) -> None:
        """Take a frame from the person's seat."""
        self._bots.receive(frame.to_bytes())
        self._work_waiting.set()

    async def _run(self) -> None:
        """Run the bots forever. Reports a crash to the page."""
        try:
            while True:
                await self._work_waiting.wait()
                self._work_waiting.clear()
                while self._bots.step():
                    await asyncio.sleep(0)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._browser.fatal("".join(traceback.format_exception_only(error)).strip()[:500], "crash")
            raise


def _wall_clock_ms() -> int:
    """Return milliseconds since 1970."""
    return int(time.time() * 1000)


def _create_store(handle: Any, saved: SavedTab) -> TabStore:
    """Create a new store in a file."""
    return _open_store(handle, lambda store: TabStore.create(store, saved))


def _open_store(handle: Any, make: Callable[[ExclusiveFile], TabStore]) -> TabStore:
    """Return the store that `make` makes of a file. Closes the file if that fails."""
    store = OpfsStore(handle)
    try:
        return make(store)
    except NodealerError:
        with suppress(JsException):
            store.close()
        raise
