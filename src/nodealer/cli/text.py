"""Every sentence that nodealer writes to a terminal, grouped by command; help texts are at their options.

The module is meant to be translated, so it imports nothing and decides nothing. Results may contain console markup such
as `[bold]`. Callers escape every value that comes from outside, such as a name or a path, with `escape_markup` if the
result is printed. Messages of exceptions are plain text: they are escaped when they are printed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

# --- Every command ---


def starting(version: str) -> str:
    return f"nodealer {version} is setting up the table."


def error(sentence: str) -> str:
    return f"nodealer: {sentence}"


def unknown_command(typed: str, near: str) -> str:
    return f"No such command {typed!r}. Did you mean {near!r}?"


def not_installed(command: str, distribution: str) -> str:
    return (
        f"`nodealer {command}` is part of {distribution}, which is not installed: "
        "run `pip install ./lab` in a checkout of nodealer"
    )


def unknown_option(option: str, near: str | None, game: str, settings: Iterable[str]) -> str:
    """Name the closest option, or all settings of the game if none is close."""
    hint = f"did you mean {near!r}?" if near else f"{game} has the settings {', '.join(settings) or 'none'}; see --help"
    return f"unknown option {option!r}; {hint}"


def cannot_combine(one: str, other: str) -> str:
    return f"{one} and {other} cannot be combined"


def given_twice(option: str) -> str:
    return f"{option} is given twice"


def needs_value(option: str) -> str:
    return f"{option} needs a value"


def setting_of_other_game(option: str, owner: str, game: str) -> str:
    return f"{option} is a setting of {owner}, not of {game}"


def bad_listen(listen: str, example: str) -> str:
    return f"--listen must be HOST:PORT, such as {example}, not {listen!r}"


def cannot_write(path: object, reason: object) -> str:
    return f"cannot write {path}: {reason}"


def log_copy_stopped(path: object, reason: object, log: object) -> str:
    return f"[magenta]No longer writing to {path}: {reason}. The log is in {log}[/magenta]"


def log_copy_unusable(path: object, reason: object, log: object) -> str:
    return f"[magenta]Cannot write {path}: {reason}. The log is in {log}[/magenta]"


# --- play ---


def name_but_only_bots(reason: str) -> str:
    return f"--name is for a person, but bots play all seats: {reason}"


def only_bots(reason: str) -> str:
    return f"Bots play all seats: {reason}."


CLOCK_IN_REHEARSAL: Final = "--clock and --seed cannot be combined: a rehearsal has no clock"
BOTS_REHEARSE: Final = "a rehearsal has no secrets to play with"
BOTS_BY_OPTION: Final = "--auto was given"
BOTS_WITHOUT_TERMINAL: Final = "there is no terminal to play in; with --json a program can play"


def bots_without_input(game: str) -> str:
    return f"{game} cannot be played in a terminal; use --json"


def not_available(game: str) -> str:
    return f"{game} is not available"


def saved_in(folder: object) -> str:
    return f"[dim]This game is saved in {folder}[/dim]"


BEFORE_THE_GAME: Final = "before the game began"
AFTER_THE_LAST_HAND: Final = "after the last hand"


def in_hand(number: int) -> str:
    return f"in hand {number}"


def before_hand(number: int) -> str:
    return f"before hand {number}"


def continuing(place: str) -> str:
    return f"[dim]Continuing {place}.[/dim]"


def game_stopped(place: str, reason: str) -> str:
    return f"[magenta]The game stopped {place}:[/magenta] {reason}."


def interrupted(place: str, log: object | None, resume: str | None, *, by_person: bool) -> str:
    stopped = f"\n{'You stopped' if by_person else 'Stopped'} {place}."
    kept = "" if log is None else f" The unfinished log is in [bold]{log}[/bold]."
    return stopped + kept + ("" if resume is None else f" {continue_with(resume)}")


def resume_command(name: str | None) -> str:
    return "`nodealer resume`" if name is None else f"`nodealer resume {name}`"


def log_in(path: object) -> str:
    return f"The log is in [bold]{path}[/bold]."


def replay_with(path: str, option: str) -> str:
    return f"Replay it with `nodealer show {path}{option}`."


def continue_with(resume: str) -> str:
    return f"Continue with {resume}."


def dropped_out(name: str, reason: str) -> str:
    return f"[red]{name} has dropped out[/red]: {reason}"


# --- play in the browser ---


def page_at(what: str, address: str) -> str:
    return f"Your {what} is at [bold]{address}[/bold]"


PAGE_STOPS_TABLE: Final = "[dim]The address works once. Ctrl-C ends the table.[/dim]"
PAGE_STOPS_LOG: Final = "[dim]The address works once. Ctrl-C closes the page; the log file is not changed.[/dim]"


def page_opens(what: str, address: str) -> str:
    return f"Your {what} opens in the browser. If it does not, go to {address}"


# --- play --cheat ---

CHEAT_IN_REHEARSAL: Final = "--cheat and --seed cannot be combined: a rehearsal has no secrets"


def cheat_of_person(name: str) -> str:
    return f"{name} is your own seat, and only bots cheat; choose another seat, or use --auto"


def cheats(name: str, does: str) -> str:
    return f"[magenta]{name} cheats:[/magenta] this bot {does}. The other players do not know."


def cheat_claim(claim: str) -> str:
    return f"What the protocol claims: {claim}."


def cheat_outcome(outcome: str) -> str:
    return f"Outcome: {outcome}."


def cheater_named(name: str) -> str:
    return f"the log names {name}, and anyone who has the log can check it"


def cheater_ineffective(name: str) -> str:
    return f"the log names no one; the messages of {name} are in it, but they changed nothing"


def cheater_idle(name: str) -> str:
    return f"the log names no one: in this game {name} had no opportunity"


# --- play --json ---


def bad_answer(reason: object) -> str:
    return f"this is not a valid answer: {reason}"


def answer_to_other_question(answered: int, asked: int) -> str:
    return f"this answers question {answered}, but question {asked} was asked"


WANTS_SEAL: Final = 'the answer must have "seal" and nothing else'
WANTS_CHOICE: Final = 'the answer must have "choose" and nothing else'
WANTS_MOVE: Final = 'the answer must have "move" and nothing else'


# --- A game on the screen ---


def session(name: str, players: str) -> str:
    return f"Session [bold]{name}[/bold]: {players}."


def game_on_protocol(game: str, protocol: str, note: str) -> str:
    return f"{game} on {protocol}{f'; {note}' if note else ''}."


REHEARSAL: Final = "[magenta]This is a rehearsal: its seeds are public, so nothing is secret.[/magenta]"


def hand_heading(number: int) -> str:
    return f"\n[bold]Hand {number}[/bold]"


def diverged(name: str, theirs: str, ours: str) -> str:
    return (
        f"[red]The logs of {name} and this table have diverged:[/red] theirs is at {theirs}, this one at {ours}. "
        f"Either the relay shows different orders to different players, or {name} is lying."
    )


def summary(entries: int, size: float, cards: float, proofs: int, seconds: float) -> str:
    return (
        f"{entries} signed entries, {size:.0f} kB ({cards:.0f} kB of cards and proofs), {proofs} proofs checked, "
        f"{seconds:.1f} s."
    )


def step(entry: int, name: str, what: str, details: str) -> str:
    return f"  [dim]{entry:5} {name} {what}: {details}[/dim]"


def step_size(size: int) -> str:
    return f"{size:,} bytes"


def step_meaning(what: str, meaning: str) -> str:
    return f"        {what}: {meaning}"


def step_progress(name: str, doing: str, count: int) -> str:
    return f"cards: {name} {doing} ({count} step{'' if count == 1 else 's'} in this hand)"


def spoken(name: str, words: str) -> str:
    return f"  {name} says: {words}"


def chatted(name: str, words: str) -> str:
    return f"  {name} (chat): {words}"


def board(cards: str) -> str:
    return f"  board: {cards}"


def shows(name: str, cards: str) -> str:
    return f"  {name} shows {cards}"


def no_result(reason: str) -> str:
    return f"  [magenta]no result[/magenta]: {reason}"


def fault(culprit: str | None, reason: str) -> str:
    return f"[red bold]FAULT[/red bold] {culprit or 'no one can be named'}: {reason}"


HAND_ABORTED: Final = "  the hand was aborted"
DEFAULT_MOVE: Final = "gets the default move"


def dropped_from_hand(name: str) -> str:
    return f"  {name} was dropped from the hand: the others voted not to wait"


def moved_automatically(name: str, move: str) -> str:
    return f"  {name} {move} automatically: the others voted not to wait"


def result(ended: str, outcome: str) -> str:
    return f"  [green]result[/green] ({ended})" + (f": {outcome}" if outcome else "")


# --- What a player types ---

TYPED_TOO_EARLY: Final = "You started typing before the question appeared. Please answer again.\n"
NOT_YOUR_TURN: Final = "[magenta]It is not your turn.[/magenta]  Enter: show the table   ?=help"
NOT_BEGUN: Final = "The game has not begun yet. Type quit to stop for now."
YES_OR_NO: Final = " (yes or no)"
NO_RULES: Final = "  this game has no text about its rules"
HELP_RULES: Final = " the rules   "
HELP_TABLE: Final = "Enter: show the table   "
HELP_SIT_OUT: Final = " to skip hands   "
HELP_LEAVE: Final = " for good   "
HELP_QUIT: Final = " to stop for now"


def not_your_turn(waiting_for: str) -> str:
    return f"  it is not your turn; waiting for {waiting_for}" if waiting_for else "  it is not your turn"


NO_HAND: Final = "  no hand is being played"
NOTHING_TO_SHOW: Final = "  there is nothing to show now"
TYPE_SIT_OUT: Final = "to skip hands, type sit out"
TYPE_WITHOUT: Final = "say who: without NAME"
TYPE_REMOVE: Final = "say who: remove NAME"
UNKNOWN_COMMAND: Final = "there is no such command"
TOO_MANY_COMMANDS: Final = "too many commands are waiting"
SIT_OUT: Final = "You sit out from the next hand on, and keep your chips. Type [bold]back[/bold] to play again."


def not_awaited(name: str) -> str:
    return f"no one is waiting for {name}"


def refused(verb: str, reason: str) -> str:
    return f"[magenta]{verb}: {reason}[/magenta]"


# --- Waiting for a player ---


def waiting_for(name: str, since: str) -> str:
    return f"[magenta]waiting for {name} since {since}[/magenta]"


CAN_WAIT: Final = (
    "  You can wait. Or press Ctrl-C and continue later with `nodealer resume`: everyone keeps the same cards."
)
END_SIGNED: Final = "  You have signed the end of the game, and nothing more is needed from you. Ctrl-C quits."
CAN_LEAVE: Final = "  [bold]leave[/bold]: leave the table; what you have put in stays in"
ONLY_LEAVE: Final = "  If the timekeeper is silent too, no one can be late, and all you can do is leave."


def votes_automatically(late: str) -> str:
    return f"  {late} Your program votes automatically."


def can_go_on_without(name: str, votes: int, voters: int, votes_if_late: int | None) -> str:
    if voters <= 2:
        return f"  [bold]without {name}[/bold]: go on without {name}, once they are late"
    late = "" if votes_if_late is None else f", or {votes_if_late} once they are late"
    return f"  [bold]without {name}[/bold]: go on without {name}; takes {votes} of {voters} votes{late}"


ABORT_HAND: Final = "abort the hand: chips go back to what they were before it, and no other hand is played"
END_GAME: Final = "end the game before the next hand"
END_LOG: Final = "end the log without the others' signatures"


def can_break(what: str, votes: int, voters: int) -> str:
    needed = "" if voters <= 2 else f"; takes {votes} of {voters} votes"
    return f"  [bold]break[/bold]: {what}{needed}"


def clock_drift(seconds: int) -> str:
    return (
        f"[magenta]The timekeeper's clock is {seconds} s ahead of yours.[/magenta] Your program calls no one late "
        "before your own clock does."
    )


def too_few_players(gone: Sequence[str]) -> str:
    again = f"You can play on if {' or '.join(gone)} comes back. " if gone else ""
    return (
        f"[magenta]There are too few players for another hand.[/magenta] {again}Type [bold]leave[/bold] to end the "
        "game; everyone keeps what they have."
    )


# --- Time ---


def time_left(seconds: int, bank: int) -> str:
    return f"[dim]You have about {seconds} s{f', plus {bank} s in your time bank' if bank else ''}.[/dim]"


def bank_left(seconds: int) -> str:
    return f"[magenta]Your time is up: about {seconds} s of your time bank are left.[/magenta]"


# --- Leaving and coming back ---

YOU_SIT_OUT: Final = (
    "You left this table or sat out: no one waits for you, and you get no cards. Type [bold]back[/bold] to play from "
    "the next hand on, or [bold]leave[/bold] to leave for good."
)
YOU_STAY: Final = "You stay."
YOU_ARE_BACK: Final = "You play again, from the next hand on."
LEFT_FOR_GOOD: Final = "you have left this table for good: your signature is in the log"


def confirm_leave(*, in_hand: bool) -> str:
    cost = "This hand goes on without you, and what you have put in stays in. " if in_hand else ""
    return (
        f"[bold]Leave the table for good?[/bold] {cost}You get no more cards, and what you have then is your result. "
        "To skip only some hands, answer no and type [bold]sit out[/bold]. (yes or no)"
    )


def you_leave(*, in_hand: bool) -> str:
    undo = " Until this hand is over, you can type [bold]back[/bold] to undo this." if in_hand else ""
    return f"You leave the table. You still see what the others do; Ctrl-C quits.{undo}"


# --- Disputes ---

CARD_UNREADABLE: Final = (
    "[red bold]A card that you were dealt cannot be opened.[/red bold] A player cheated, and no one can tell yet who.",
    "  [bold]claim[/bold]: report it. If the protocol can, this shows only that card. Otherwise it discloses "
    "everything you held in this hand, and nothing of other hands; the others are asked to disclose theirs, and the "
    "hand has no result.",
)
UNPROVABLE: Final = (
    "[red bold]This cannot be proven[/red bold]: one of your cards breaks the rule that has to be proven. Nothing is "
    "sent, so no one sees which card it is. The others will go on without you.",
    "  [bold]leave[/bold]: leave the hand now.",
)
DISCLOSE: Final = (
    "  [bold]book[/bold]: disclose your hand. It shows everyone all that you held in that hand, and nothing of other "
    "hands. Until you do, your part is unchecked: what you put in is held back, and you are not dealt in."
)


def hand_disputed(number: int, reason: str) -> str:
    return f"[red bold]Hand {number} is disputed[/red bold]: {reason}. Only disclosed hands can show who cheated."


# --- Seats ---

#: What it means that a seat leaves.
NEW_KEY_AFTER_LEAVING: Final = (
    "The table then gets a new key: players who left can read nothing more, and spectators need a new link."
)


def would_like_to_join(name: str) -> str:
    return f"[bold]{name}[/bold] would like to sit down. Type [bold]seat {name}[/bold] to propose it."


def check_key_words(words: str) -> str:
    return f"  [dim]First ask them, outside this program, whether the words of their key are: {words}[/dim]"


def can_remove(name: str, *, left: bool) -> str:
    how = "has left" if left else "has been away for a while"
    return f"{name} {how}. Type [bold]remove {name}[/bold] to propose that they lose their seat."


def proposes_roster(by: str, players: str) -> str:
    return f"{by} proposes a table of {players}. Type [bold]agree {by}[/bold] if you want that."


def roster_without(names: str) -> str:
    return f", without {names}"


YOU: Final = "you"
ROSTER_NO_TIMEKEEPER: Final = ", without a timekeeper"


def roster_timekeeper(name: str) -> str:
    return f", with {name} as timekeeper"


def key_unreadable(reason: str) -> str:
    return f"[red]Ask the others not to agree to this: you could not read the messages of that table.[/red] ({reason})"


def removal_proposed(name: str) -> str:
    return f"Proposed: the table without {name}, after this hand, if more than half agree."


SEVERAL_PROPOSALS: Final = "there are several proposals: say whose, with agree NAME"
NOTHING_TO_AGREE_TO: Final = "there is nothing to agree to"
REMOVE_ONLY_ON_NETWORK: Final = "this is only possible at tables on the network"


# --- host ---

HOST_NEEDS_KEY: Final = "a host needs a key"
NEEDS_PLAYER: Final = (
    "no one can type here, because the input is not a terminal: run this in a terminal, or with --auto to let a bot "
    "play, or with --json for a program"
)


def spectator_link(seats: int) -> str:
    others = "one other player" if seats == 2 else f"up to {seats - 1} others"
    return f"A table for you and {others}. Spectator link:"


PLAYER_LINK: Final = "Player link:"


def how_to_join(option: str, *, page: bool) -> str:
    opened = "Players open it in a browser, with nothing installed, or run" if page else "Players run"
    return f"[dim]{opened}: nodealer join LINK --name NAME{option}[/dim]"


WAITING_FOR_GUESTS: Final = (
    "Waiting for guests. Type [bold]start[/bold] to begin with the players seated, [bold]code[/bold] for a pairing "
    "code, [bold]quit[/bold] to stop."
)


def guests_page_taken(address: str, reason: object) -> str:
    return f"cannot serve the page for your guests at {address} again: {reason}"


GUESTS_PAGE: Final = (
    "This machine serves the page for your guests without encryption: if they reload it they lose the hand, and you "
    "could see their cards. Their page says so."
)


# --- join and watch ---

CODE_NEEDS_RELAY: Final = "a pairing code needs the host's relay: add --relay URL"
GUEST_NEEDS_KEY: Final = "a guest needs a key"


def reconnected(relay: str) -> str:
    return f"Connected to {relay} again."


def messages_rejected(reason: str, *, retrying: bool) -> str:
    again = " Trying again; Ctrl-C quits." if retrying else ""
    return f"[red]The relay is rejecting your messages:[/red] {reason}.{again}"


#: The relay of a table on this machine, after "the relay".
RELAY_HERE: Final = "of this machine"


def newer_key(relay: str) -> str:
    return (
        f"[red]The relay {relay} delivers messages with a newer key than yours: it may be withholding some from "
        "you.[/red] Compare your log with the others'."
    )


LOCKED_OUT: Final = (
    "[magenta]The table has a new key, and you do not have it.[/magenta] To continue, ask for a new link."
)


def connection_lost(reason: str) -> str:
    return (
        f"[magenta]No connection[/magenta] ({reason}). Reconnecting; your messages are sent after that. Ctrl-C quits."
    )


def missing_messages(count: int, seconds: int) -> str:
    more = "one more message" if count == 1 else f"{count} more messages"
    them = "it" if count == 1 else "them"
    return (
        f"[magenta]The relay says that this table has {more}, but has not delivered {them} for {seconds} s.[/magenta] "
        "You cannot act until it does."
    )


def has_declined(name: str, reason: str) -> str:
    return f"[magenta]{name} declined:[/magenta] {reason}"


def name_refused(reason: object) -> str:
    return f"{reason}. Ask the host, or join with another --name"


YOU_HAVE_A_SEAT: Final = "[green]You have a seat[/green], and play from the next hand on."
NEW_SPECTATOR_LINK: Final = "[magenta]A player has left, and the table has a new key.[/magenta] New spectator link:"
NEW_PLAYER_LINK: Final = "New player link, to ask for a seat with `nodealer join LINK --ask`:"
REMOVED: Final = (
    "[magenta]The others go on without you, and with a new key.[/magenta] To get a seat, ask one of them for a new "
    "link and run `nodealer join LINK --ask`."
)


def asked_for_seat(players: str) -> str:
    return f"You have asked {players} for a seat. Until you have one, you watch."


def own_key_words(words: str) -> str:
    return f"  [dim]They may ask you for the words of your key: {words}[/dim]"


def table_words(words: str) -> str:
    return f"Words of this table: [bold]{words}[/bold]. Everyone here should see the same words."


COMPARE_WORDS: Final = (
    "  [dim]Compare them with the others. If the words differ, someone is intercepting the connection: stop.[/dim]"
)


def table_interrupted(name: str, log: object | None, *, own_relay: bool) -> str:
    kept = "" if log is None else f" The unfinished log is in [bold]{log}[/bold]."
    own = " Your relay has stopped too, so the others have to wait for you." if own_relay else ""
    return f"\nStopped.{kept} {continue_with(resume_command(name))}{own}"


# --- The lobby ---


def ask_to_seat(name: str) -> str:
    return f"Let {name} sit down? [Y/n] "


def ask_to_keep_time(name: str) -> str:
    return f"Let {name} be the timekeeper? [Y/n] "


def ask_to_go_on_without(name: str) -> str:
    return f"{name} has not answered. Go on without {name}? [y/N] "


ASK_TO_ACCEPT: Final = "Do you want to play this? [Y/n] "
ASK_TO_ACCEPT_OTHER: Final = "This is a DIFFERENT proposal. Do you want to play it? [y/n] "

TIMEKEEPER_AWAITED: Final = "All players are here. The game begins when a timekeeper joins."
NO_ONE_SEATED: Final = "You are the only player seated."
LOBBY_COMMANDS: Final = (
    "Type start to begin with the players seated, code for a pairing code, without NAME to turn a guest away, or quit."
)
SEAT_REQUESTED: Final = (
    "You have asked for a seat. The host decides who sits down, and starts the game. Then you see what is proposed, "
    "and accept or decline it."
)
LEFT_OUT: Final = "The host proposes a game without you. Perhaps there is no seat left."


def may_sit(name: str, taken: int, seats: int) -> str:
    return f"{name} may sit down ({taken} of {seats})."


def may_keep_time(name: str) -> str:
    return f"{name} is accepted as the timekeeper."


def not_seated(name: str) -> str:
    return f"{name} is not seated."


def no_such_guest(name: str) -> str:
    return f"No one here is called {name}."


def cannot_begin(reason: str) -> str:
    return f"[magenta]The game cannot begin with the players seated:[/magenta] {reason}."


def wants_to_sit(name: str) -> str:
    return f"[bold]{name}[/bold] would like to sit down."


def wants_to_keep_time(name: str) -> str:
    return f"[bold]{name}[/bold] would like to be the timekeeper."


def at_the_table(names: str, *, first: bool) -> str:
    begun = "The game has not begun yet. " if first else ""
    return f"{begun}At the table: {names or 'no one yet'}."


def proposal(game: str, protocol: str, hands: int, players: str) -> str:
    number = f", {hands} hand{'' if hands == 1 else 's'}" if hands else ""
    return f"Proposed: [bold]{game}[/bold] on {protocol}{number}, with {players}."


def pairing_code(code: str) -> str:
    return f"Read this code to one guest, within ten minutes: [bold]{code}[/bold]"


def how_to_use_code(code: str, relay: str) -> str:
    return f"  [dim]They run: nodealer join {code} --relay {relay} --name NAME[/dim]"


def code_used(name: str) -> str:
    return f"{name} has used the code, and may sit down."


def code_expired(reason: str, next_step: str) -> str:
    return f"[red]No guest joined with that code:[/red] {reason}. {next_step or 'Type code for another'}."


def no_code(reason: str) -> str:
    return f"[red]There is no pairing code:[/red] {reason}."


# --- timekeeper ---

TIMEKEEPER_STOPPED: Final = "\nStopped. Run the same command to continue."
TABLE_ENDED: Final = "The table has ended."


def connected(relay: str) -> str:
    return f"Connected to {relay}."


def timekeeper_newer_key(relay: str) -> str:
    return f"The relay {relay} delivers messages with a newer key than this timekeeper's: it may be withholding some."


def ticks_rejected(reason: str) -> str:
    return f"The relay is rejecting your messages: {reason}"


def timekeeper_begins(players: str) -> str:
    return f"The game has begun: {players}. You are the timekeeper."


def is_late(name: str) -> str:
    return f"{name} is late."


# --- games and resume ---


def already_here_in(game: str) -> str:
    return f"you are at this table already, in another window ({game})"


def no_saved_games(folder: object) -> str:
    return f"There are no saved games in {folder} yet. `nodealer play` starts one."


GAMES_COLUMNS: Final = ("name", "game", "players", "hands", "status")


def games_folder(folder: object) -> str:
    return f"Games are saved in {folder}."


def is_rehearsal(name: str, seed: int) -> str:
    return f"{name} is a rehearsal: `nodealer play --seed {seed}` plays it again"


def has_ended(name: str, verdict: str, log: object) -> str:
    return f"{name} has ended ({verdict}); its log is in {log}"


def resume_elsewhere(game: str | None, folder: str) -> str:
    return f"the game {game} was loaded from {folder}: resume it there"


def needs_player(name: str) -> str:
    return (
        f"{name} is not a bot: resume in a terminal, or with --auto to let a bot play on, or with --json for a program"
    )


def still_played(name: str) -> str:
    return f"{name} is being played, or one of its players has not stopped yet"


# --- verify and show ---

STDIN_ALONE: Final = "a log on standard input must be verified alone"
ONE_AGAINST_ONE: Final = "--against compares one log with one other"
STANDARD_INPUT: Final = "standard input"
VERIFYING: Final = "verifying"
PROCESS_KILLED: Final = "the process that verified this file was killed"


def logs_agree(entries: int) -> str:
    return f"The logs agree in all {entries} entries that both have."


def logs_diverged(entries: int) -> str:
    return f"[red bold]DIVERGED[/red bold]: the logs agree up to entry {entries}."


def signed_twice(who: str, number: int, first: int, second: int) -> str:
    return (
        f"{who} signed two different entries with number {number}: entry {first} of the first log and entry {second} "
        "of the second."
    )


def clean(what: str) -> str:
    return f"[green bold]CLEAN[/green bold]: {what}."


def faulty(reason: str) -> str:
    return f"[red bold]FAULT[/red bold]: {reason}."


def broken(reason: str) -> str:
    return f"[red bold]BROKEN[/red bold]: {reason}."


def incomplete(reason: str) -> str:
    return f"[magenta bold]INCOMPLETE[/magenta bold]: {reason}."


def unverifiable(reason: str) -> str:
    return f"[red bold]UNVERIFIABLE[/red bold]: {reason}."


ALL_PROVEN: Final = "everything in this log is proven"
ALL_OPENED: Final = (
    "nothing false was found; what this protocol does not prove was disclosed by the players after each hand"
)


def counted(entries: int, hands: int, checks: str) -> str:
    return f"{entries} entries, {hands} hand{'' if hands == 1 else 's'}; checked: {checks}."


def session_id(number: str) -> str:
    return f"session {number}"


def seats_from(hand: int, seats: str) -> str:
    return f"seats from hand {hand} on: {seats}"


def not_proven(what: str) -> str:
    return f"Not proven by any log: {what}."


def at_fault(who: str, reason: str, entry: int) -> str:
    return f"at fault: {who}: {reason} (entry {entry})"


DROPPED: Final = "was dropped from the hand"
MOVED: Final = "was given the default move"
ABORTED: Final = "the hand was aborted"


def voted(hand: int, entry: int, what: str, voters: str) -> str:
    return f"hand {hand}, entry {entry}: {what} by vote of {voters}"


def paid_for_leaving(hand: int, who: str, amount: int) -> str:
    return f"hand {hand}: {who} left in the middle of a card and paid {amount}"


def paid_to_no_pot(amount: int) -> str:
    return f"{amount} of what was paid for leaving is not in any pot yet"


def chips_now(chips: str) -> str:
    return f"chips now: {chips}"


def not_disclosed(hand: int, who: str) -> str:
    return f"hand {hand}: {who} has not disclosed their hand, so what they gained is held back"


def gone(names: str) -> str:
    return f"out of the game: {names}"


RESULT_COLUMNS: Final = ("hand", "ended")


def no_result_because(reason: str) -> str:
    return f"no result: {reason}"


# --- export ---

NO_EXPORT: Final = "the game of this log has no export format"


def other_export(game: str, format: str, asked: str | None) -> str:
    return f"{game} is exported as {format}, not as {asked!r}"


# --- whoami ---


def own_name(name: str | None) -> str:
    return f"name   {'not set; `nodealer whoami --name Ada` sets it' if name is None else name}"


def own_words(words: str) -> str:
    return f"words  [bold]{words}[/bold]"


def own_key(key: str) -> str:
    return f"key    {key}"


def own_file(path: object, *, passphrase: bool) -> str:
    return f"file   {path}, {'with' if passphrase else 'without'} a passphrase"


PROMPT_FOR_KEY: Final = "Passphrase of your key: "
PROMPT_FOR_OLD: Final = "Current passphrase: "
PROMPT_FOR_NEW: Final = "New passphrase (empty for none): "
PROMPT_AGAIN: Final = "Repeat it: "
REPEATED_WRONGLY: Final = "the two passphrases differ; nothing was changed"
NO_TERMINAL: Final = "a passphrase has to be typed at a terminal, and there is none here"
NOTHING_TYPED: Final = "no passphrase was typed"
PROMPT_FOR_NAME: Final = "What is your name? "
YOUR_NAME: Final = "your name"
NAME_NEEDED: Final = "a name is needed: --name NAME, or once and for all `nodealer whoami --name NAME`"


# --- relay ---


def relay_listens(url: str) -> str:
    return f"nodealer relay listens on {url}"


def bad_limit(name: str, value: str) -> str:
    return f"the limit {name} must be a whole number, not {value!r}"


CERT_AND_KEY: Final = "--cert and --key must be used together"


def cannot_use_certificate(certificate: str, key: str, reason: object) -> str:
    return f"cannot use {certificate} and {key}: {reason}"


def bad_store(store: str) -> str:
    return f"--store must be memory, sqlite:PATH or nats://HOST:PORT, not {store!r}"


NATS_MISSING: Final = "a NATS store needs the package nats-py: pip install 'nodealer[nats]'"


# --- protocols ---

NO_PROTOCOLS: Final = "There are no protocols."
WARNING: Final = "WARNING"
CHEAT_COLUMNS: Final = ("cheat", "detected", "culprit named")
YES: Final = "yes"
NO: Final = "no"


# --- doctor ---

SLOW_CORE: Final = (
    "No native core: this is the reference implementation, ten to twenty times slower and not constant-time."
)
SLOW_CORE_FIX: Final = (
    "It plays and verifies correctly. For the fast core install Rust (https://rustup.rs) and run `make build`."
)


def versions(nodealer: str, core: str, python: str) -> str:
    return f"nodealer {nodealer}, {core}, Python {python}"


def native_core(version: str, profile: str) -> str:
    return f"native core {version} ({profile})"


REFERENCE_CORE: Final = "reference implementation (slow)"


def cpu(features: str) -> str:
    return f"CPU features: {features or 'unknown'}"


# --- game ---

CHECKING: Final = "checking …"


def checking(what: str) -> str:
    return f"checking: {what}"


def finding(kind: str, where: str, times: int) -> str:
    again = f" (seen {times} times)" if times > 1 else ""
    return f"[red bold]✗ {kind}[/red bold]{f' [bold]{where}[/bold]' if where else ''}{again}"


def not_tested_on(protocol: str, reason: str) -> str:
    return f"[dim]not on {protocol}: {reason}[/dim]"


def check_verdict(game: str, version: int, problems: int) -> str:
    if not problems:
        return f"[green bold]PASSED[/green bold]: {game} version {version}, no problems found."
    found = f"{problems} problem{'' if problems == 1 else 's'} found"
    return f"[red bold]FAILED[/red bold]: {game} version {version}, {found}."


GAME_COLUMNS: Final = ("game", "version", "protocol", "seats", "settings")


# --- web ---


def serving_page(address: str) -> str:
    return f"The page is at [bold]http://{address}/[/bold] (Ctrl-C stops)"


NO_RELEASE_HASH: Final = (
    "this version of nodealer is not a release and has no hash of its own: use --against with the hash that a release "
    "names, or with the folder of your own `make web`"
)


def file_differs(path: str) -> str:
    return f"[red bold]✗[/red bold] {path} differs"


def file_missing(path: str) -> str:
    return f"[red bold]✗[/red bold] {path} is missing"


def page_verdict(url: str, matching: int, *, ok: bool) -> str:
    verdict = "[green bold]SAME[/green bold]" if ok else "[red bold]DIFFERENT[/red bold]"
    return f"{verdict}: {matching} files of {url} match."


# --- demo ---

DEMO_INTRODUCTION: Final = """\
[bold]There is no dealer here.[/bold] Every player shuffles the deck in turn and proves it. No one can see another \
player's cards, and no one has to be trusted. What if a player cheats?

[bold]1. A game.[/bold] Three bots play, each in a process of its own. One of them puts a card into the deck twice.
"""
DEMO_AUDIT: Final = """
[bold]2. An independent check.[/bold] The log of the game goes to a program that was not there. It knows no secrets \
and trusts no one: it reads what the players signed.
"""
DEMO_END: Final = """
[bold]That is all.[/bold] The cheater cannot deny it: the false proof carries their signature. Try other cheats with \
[bold]nodealer play --cheat SEAT:KIND[/bold]. [bold]nodealer protocols[/bold] lists what each protocol detects, and \
when.\
"""
