"""`nodealer play` in the browser: tables with bots, one after another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

from nodealer.cli import text as phrases
from nodealer.cli.browser_table import Page, PageScreen, serve_page
from nodealer.cli.display import Display
from nodealer.cli.local_game import game_record
from nodealer.cli.local_host import Play, host
from nodealer.cli.plan import PlayPlan, create_plan
from nodealer.client.game_loader import installed_games, load_game
from nodealer.client.log_export import LogCopy
from nodealer.client.saved_games import keep
from nodealer.engine.phases import Phase
from nodealer.errors import BadParameter, NodealerError
from nodealer.games.package import GamePackage
from nodealer.web import messages as doc


def page_offers(plan: PlayPlan) -> doc.Offers:
    """Return what the page can start, with the command line as the default."""
    from nodealer.cheats.registry import installed_cheats  # late: a fair game should not wait for it

    here = {game.name: game for game in installed_games() if game.bot is not None}
    games = tuple(
        doc.GameOffer(
            place,
            game.words.note,
            game.seats,
            game.hands,
            _settings(game, plan.settings if place == plan.place else {}),
        )
        # The command line may name a game of the person's own.
        for place, game in ({plan.place: plan.game} | here).items()
    )
    cheats = tuple(doc.CheatOffer(one.name, one.does) for one in installed_cheats())
    return doc.Offers(games, cheats, plan.names[0], plan.place, len(plan.names), plan.hands)


def _settings(game: GamePackage, typed: Mapping[str, str]) -> tuple[tuple[str, str, str], ...]:
    """Return name, help and value of each setting, with the typed values."""
    return tuple((one.name, one.help, typed.get(one.name, one.default)) for one in game.settings)


def play_in_browser(plan: PlayPlan, *, at: Display, log: Path | None, patience: float) -> NoReturn:
    """Serve the page and play what its person wants, until it is stopped."""
    asyncio.run(_serve_tables(plan, at, log, patience))
    raise AssertionError("a page is served until it is stopped")


async def _serve_tables(plan: PlayPlan, at: Display, log: Path | None, patience: float) -> NoReturn:
    """Serve the page, and play one table after another on it."""
    page, offers, first = Page(), page_offers(plan), True
    page.sit("player", plan.names[0], offers)
    async with serve_page(page, at):
        while True:
            deal = await page.next_deal()
            try:
                wanted = _plan(plan, deal)
                await _play_table(page, wanted, offers, log if first else None, patience)
                first = False
            except NodealerError as error:
                page.seat.send(doc.Refused(str(error)))


def _plan(plan: PlayPlan, deal: doc.Deal) -> PlayPlan:
    """Return the plan that the page asks for.

    What was typed on the command line holds unless the page says otherwise.
    """
    same = deal.game == plan.place
    # Before the game is loaded: `module:attribute` would be imported, and a page must not run code that it names.
    if not same and all(deal.game != other.name for other in installed_games()):
        raise BadParameter(phrases.not_available(deal.game))
    game = load_game(deal.game)
    settings = game.settled(dict(plan.settings) if same else {}) | dict(deal.settings)
    wanted = create_plan(
        deal.game,
        game.settled(settings),
        protocol=plan.protocol if same else None,
        seats=deal.seats,
        hands=deal.hands,
        parameters=plan.parameters if same and plan.parameters != b"{}" else None,
        person=deal.name,
        cheat=deal.cheat,
        clock=plan.clock,
    )
    if wanted.cheat is not None:
        wanted.cheat.refuse(None, wanted.names[0])
    return wanted


async def _play_table(page: Page, plan: PlayPlan, offers: doc.Offers, log: Path | None, patience: float) -> int:
    """Play one table, from its first frame to the verified log."""
    with ExitStack() as stack:
        copies = [] if log is None else [stack.enter_context(LogCopy.new(log.absolute()))]
        kept = keep(game_record(plan, plan.names[0], patience, None, log))
        cheating = []
        if plan.cheat is not None:
            cheat = plan.cheat
            cheating.append(doc.CheatStatus(cheat.seat, cheat.name, cheat.does, cheat.sentence))
        person = page.sit("player", plan.names[0], offers, *cheating)
        page.game, page.log = plan.game, None
        play = Play(plan, kept, PageScreen(page), person, copies)
        return await play_on_page(page, play)


async def play_on_page(page: Page, play: Play, *, again: bool = True) -> int:
    """Play the game, and verify it on the page."""
    page.log = play.kept.kept_log
    replica = await host(play)
    page.log = play.log
    report = await page.verify()
    if report is not None and replica.state.phase is Phase.ENDED:
        play.kept.end(report.verdict, len(report.chronicle.records))
    if play.plan.cheat is not None and report is not None:
        cheat = play.plan.cheat
        page.seat.send(doc.CheatStatus(cheat.seat, cheat.name, cheat.does, cheat.sentence, cheat.outcome(report)))
    page.seat.send(doc.TableOver(again=again))
    return 0 if report is None else report.exit_code


def resume_in_browser(play: Play, page: Page, at: Display) -> int:
    """Continue a game on its page. Return the exit code."""

    async def run() -> int:
        """Serve the page while the game is played and until the person closes it. Return the game's exit code."""
        async with serve_page(page, at):
            code = await play_on_page(page, play, again=False)
            await page.until_left()
            return code

    return asyncio.run(run())
