"""`nodealer play` in the browser: tables with bots, one after another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from nodealer.cli import text as phrases
from nodealer.cli.cheat_option import Cheating, parse_cheat
from nodealer.cli.display import Display
from nodealer.cli.page import serve_page
from nodealer.client.entropy import system_entropy
from nodealer.client.game_loader import installed_games, load_game
from nodealer.client.local_host import Decider, LocalGame, host_local_game
from nodealer.client.log_export import LogCopy
from nodealer.client.saved_games import create_game_folder, game_record
from nodealer.client.setup import TableSetup, table_setup
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter, NodealerError
from nodealer.games.package import GamePackage
from nodealer.web import messages as doc
from nodealer.web.controller import PageController


def page_offers(setup: TableSetup) -> doc.Offers:
    """Return what the page can start, with the command line as the default."""
    from nodealer.cheats.registry import installed_cheats  # late: a fair game should not wait for it

    here = {game.name: game for game in installed_games() if game.bot is not None}
    games = tuple(
        doc.GameOffer(
            place,
            game.words.note,
            game.seats,
            game.hands,
            _settings(game, setup.settings if place == setup.place else {}),
        )
        # The command line may name a game of the person's own.
        for place, game in ({setup.place: setup.game} | here).items()
    )
    cheats = tuple(doc.CheatOffer(one.name, one.does) for one in installed_cheats())
    return doc.Offers(games, cheats, setup.names[0], setup.place, setup.seats, setup.hands)


def _settings(game: GamePackage, typed: Mapping[str, str]) -> tuple[tuple[str, str, str], ...]:
    """Return name, help and value of each setting, with the typed values."""
    return tuple((one.name, one.help, typed.get(one.name, one.default)) for one in game.settings)


def play_in_browser(setup: TableSetup, *, at: Display, log: Path | None, patience: float) -> NoReturn:
    """Serve the page and play what its person wants, until it is stopped."""
    asyncio.run(_serve_tables(setup, at, log, patience))
    raise AssertionError("a page is served until it is stopped")


async def _serve_tables(setup: TableSetup, at: Display, log: Path | None, patience: float) -> NoReturn:
    """Serve the page, and play one table after another on it."""
    page, offers, first = PageController(system_entropy), page_offers(setup), True
    page.start("player", setup.names[0], offers)
    async with serve_page(page, at):
        while True:
            deal = await page.next_deal()
            try:
                wanted, cheat = _setup_for(setup, deal)
                await _play_table(page, wanted, cheat, offers, log if first else None, patience)
                first = False
            except NodealerError as error:
                page.ui.presenter.send(doc.Refused(str(error)))


def _setup_for(setup: TableSetup, deal: doc.Deal) -> tuple[TableSetup, Cheating | None]:
    """Return the table that the page asks for, and the bot that cheats there, if one does.

    What was typed on the command line holds unless the page says otherwise.
    """
    same = deal.game == setup.place
    # Before the game is loaded: `module:attribute` would be imported, and a page must not run code that it names.
    if not same and all(deal.game != other.name for other in installed_games()):
        raise BadParameter(phrases.not_available(deal.game))
    game, protocol = load_game(deal.game), setup.protocol
    settings = game.settled(dict(setup.settings) if same else {}) | dict(deal.settings)
    wanted = table_setup(
        game,
        game.settled(settings),
        place=deal.game,
        protocol=protocol.claims.name if same else None,
        parameters=protocol.parameters if same and protocol.parameters != b"{}" else None,
        seats=deal.seats,
        hands=deal.hands,
        clock=setup.clock,
    ).with_bots(deal.name)
    if deal.cheat is None:
        return wanted, None
    cheat = parse_cheat(deal.cheat, wanted.names, wanted.protocol)
    cheat.refuse(None, wanted.names[0])
    return wanted, cheat


async def _play_table(
    page: PageController,
    setup: TableSetup,
    cheat: Cheating | None,
    offers: doc.Offers,
    log: Path | None,
    patience: float,
) -> None:
    """Play one table, from its first frame to the verified log."""
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        option = None if cheat is None else cheat.option
        record = game_record(setup, person=setup.names[0], patience=patience, log=log, cheat=option)
        game = LocalGame(setup, create_game_folder(record), Decider.PERSON, copies)
        await _play_on_page(page, game, cheat, offers, again=True)


async def _play_on_page(
    page: PageController, game: LocalGame, cheat: Cheating | None, *standing: doc.ServerMessage, again: bool
) -> int:
    """Play the game, verify it on the page, and return the exit code of the verification."""
    name = game.setup.names[0]
    with game.open_store(name) as store:
        log = game.saved.kept_log
        ui = page.start("player", name, *standing, store=store, log=log, game=game.setup.game)
        if cheat is not None:
            ui.show(cheat.announcement)
            game = replace(game, programs=cheat.programs)
        replica = await host_local_game(game, ui, store)
    report = await page.verify(game.log)
    if report is not None and replica.state.phase is Phase.ENDED:
        game.saved.end(report.verdict, len(report.chronicle.records))
    if cheat is not None and report is not None:
        came = cheat.outcome(report)
        ui.presenter.send(doc.CheatStatus(cheat.seat, cheat.name, cheat.does, cheat.sentence, came))
    page.end(again=again)
    return 0 if report is None else report.exit_code


def resume_in_browser(game: LocalGame, cheat: Cheating | None, at: Display) -> int:
    """Continue a game on its page. Return the exit code."""
    page = PageController(system_entropy)

    async def run() -> int:
        """Serve the page while the game is played and until the person closes it. Return the game's exit code."""
        async with serve_page(page, at):
            code = await _play_on_page(page, game, cheat, again=False)
            await page.until_left()
            return code

    return asyncio.run(run())
