"""``setup``: what there is, what it would cost and send, the choice, and what follows from it.

Owns: the questions and what a person sees. Leaves looking, prices and writing to ``choosing``, the service to ``installing``, the
estimate to ``once``.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import msgspec

from extractord.agent.prices import rates_for
from extractord.choosing import local_servers
from extractord.choosing.configuring import Choice, keep_keys, write
from extractord.choosing.found import Found, client_to_write, look_around
from extractord.choosing.offers import DAYS, Need, Offer, leaves, need_of, offers
from extractord.claude_home import Surroundings
from extractord.cli import opening
from extractord.cli.consent import price_told
from extractord.config import Backend, Config, Locations, Price, Provider
from extractord.errors import UsageError
from extractord.ledger import PAID, Ledger
from extractord.report import lines, text

LOCAL = "local"  # a choice of its own for people; in the configuration it is anthropic with a base_url


@dataclass(frozen=True, slots=True)
class SetupOptions:
    """How ``setup`` was asked for."""

    choice: Choice | None
    ask_servers: bool
    keep_key: bool
    estimate: bool
    install: bool
    yes: bool
    as_json: bool

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> SetupOptions:
        """Read click's options; raises UsageError."""
        of_model = [name for name in ("provider", "model", "base_url", "claude", "price") if raw[name]]
        if of_model and not raw["backend"]:
            raise UsageError(f"--{of_model[0].replace('_', '-')} needs --backend")
        choice = None
        if raw["backend"]:
            choice = Choice(
                Backend(raw["backend"]),
                Provider(raw["provider"]) if raw["provider"] else None,
                raw["model"],
                raw["base_url"],
                raw["claude"],
                Price(input=raw["price"][0], output=raw["price"][1]) if raw["price"] else None,
            )
        return cls(choice, raw["local"], raw["keep_key"], raw["estimate"], raw["install"], raw["yes"], raw["as_json"])


def run(options: SetupOptions) -> int:
    """Show what there is, take the choice, write it down; return the exit status."""
    config, places, surroundings = opening.file_config(), opening.locations(), opening.surroundings()
    servers = local_servers.look() if options.ask_servers else ()
    found = look_around(config, places, surroundings, servers)
    need = need_of(config, places, surroundings, time.time())
    _show(list(offers(found, need, config)), need, options)
    choice = options.choice or _chosen(found, config)
    if choice is None:
        _end(options, config, places, written=False)
        click.echo("nothing was written: name a choice with --backend", err=True)
        return 0
    choice = _completed(choice, found, config, surroundings)
    chosen = choice.over(config)
    if chosen.backend is Backend.ANTHROPIC and chosen != msgspec.structs.replace(config, backend=chosen.backend):
        need = need_of(chosen, places, surroundings, time.time())
    _tell_choice(chosen, need)
    if not _agreed(options, places):
        return 1
    write(choice, places.config_file, config)
    _keep(choice, options, places, surroundings)
    if not chosen.backend.offline and (options.yes or opening.on_terminal()):
        with Ledger.open(places.state) as ledger:
            ledger.note_consent(PAID)
    _end(options, chosen, places, written=True)
    return _follow(options)


# --- showing


def _show(found: list[Offer], need: Need, options: SetupOptions) -> None:
    if options.as_json:
        for offer in found:
            click.echo(lines.encoded(_line(offer, need)))
        return
    click.echo(
        f"{text.counted(need.sessions, 'session')} of the last {DAYS} days would be read: about {need.input_tokens:,} tokens in "
        f"{text.counted(need.runs, 'run')}.\n"
    )
    for offer in found:
        click.echo(lines.printable(f"{'*' if offer.found else '-'} {offer.name:<12} {_cost(offer)}  ({offer.note})"))
        click.echo(lines.printable(f"    {offer.detail}"))
        click.echo(lines.printable(f"    {offer.leaves}"))


def _line(offer: Offer, need: Need) -> lines.SetupOffer:
    return lines.SetupOffer(
        option=offer.name,
        found=offer.found,
        detail=offer.detail,
        leaves=offer.leaves,
        sessions=need.sessions,
        input_tokens=need.input_tokens,
        output_tokens_guess=need.output_tokens,
        cost_usd=offer.cost_usd,
        note=offer.note,
    )


def _cost(offer: Offer) -> str:
    return "no price" if offer.cost_usd is None else "free" if not offer.cost_usd else f"about ${offer.cost_usd:.4f}"


def _tell_choice(chosen: Config, need: Need) -> None:
    """Tell what a choice sends and costs. Raises UsageError for a model whose price nobody knows."""
    click.echo(lines.printable(f"\n{chosen.backend.value}: {leaves(chosen)}"), err=True)
    if chosen.backend is not Backend.ANTHROPIC:
        return
    if need.cost_usd is None:
        rates_for(chosen.model, chosen.prices, local=False)
    else:
        click.echo(f"for the last {DAYS} days {price_told(chosen, need.cost_usd)}", err=True)


def _end(options: SetupOptions, config: Config, places: Locations, *, written: bool) -> None:
    if options.as_json:
        done = lines.SetupDone(config.backend.value, str(places.config_file), written)
        click.echo(lines.encoded(lines.SetupEnd(done)))
    elif written:
        click.echo(f"written: {places.config_file}", err=True)


# --- asking


def _chosen(found: Found, config: Config) -> Choice | None:
    """Ask a person; None where nobody can be asked."""
    if not opening.on_terminal():
        return None
    names = ["offline", "anthropic", *(["claude-code"] if found.client else []), *([LOCAL] if found.servers else [])]
    usual = config.backend.value if config.backend.value in names else "offline"
    match click.prompt("\nWhich one?", type=click.Choice(names), default=usual, err=True):
        case "local":
            return _local(found)
        case name:
            return Choice(Backend(name))


def _local(found: Found) -> Choice:
    urls = [server.base_url for server in found.servers]
    url = click.prompt("Which server?", type=click.Choice(urls), default=urls[0], err=True)
    listed = next(server.models for server in found.servers if server.base_url == url)
    model = click.prompt("Which model?", default=listed[0] if listed else None, err=True)
    return Choice(Backend.ANTHROPIC, Provider.ANTHROPIC, model, url)


def _completed(choice: Choice, found: Found, config: Config, surroundings: Surroundings) -> Choice:
    """Return the choice with what follows from what was found. Raises UsageError where it cannot be carried out."""
    if choice.backend is Backend.CLAUDE_CODE and choice.claude is None:
        choice = replace(choice, claude=client_to_write(config, found, surroundings))
    elif choice.claude is not None and not Path(choice.claude).expanduser().is_file():
        raise UsageError(f"{choice.claude} is no program", hint="name Claude Code's program with --claude")
    vendor = choice.provider in (None, Provider.ANTHROPIC) and config.provider is Provider.ANTHROPIC
    if choice.backend is Backend.ANTHROPIC and vendor and choice.base_url is None and config.base_url is None and found.gateway:
        choice = replace(choice, base_url=found.gateway)
    return choice


def _agreed(options: SetupOptions, places: Locations) -> bool:
    """Ask before anything is written; who typed the choice in a script is not asked."""
    if options.yes or options.as_json or not opening.on_terminal():
        return True
    return click.confirm(f"Write that to {places.config_file}?", default=True, err=True)


def _keep(choice: Choice, options: SetupOptions, places: Locations, surroundings: Surroundings) -> None:
    """Keep the key of this shell where the service finds it, if that is wanted."""
    asked = f"Keep the key of this shell in {places.credentials} (0600)? A service does not see it otherwise."
    wanted = options.keep_key
    if not wanted and not options.yes and opening.on_terminal() and not choice.backend.offline:
        wanted = click.confirm(asked, default=False, err=True)
    if not wanted:
        return
    kept = keep_keys(choice, places.credentials, surroundings.environ)
    click.echo(f"kept in {places.credentials}: {', '.join(kept) or 'nothing, this shell has no key'}", err=True)


def _follow(options: SetupOptions) -> int:
    """Do, or offer, what usually comes next."""
    from extractord.cli import every_day, set_up

    asks = opening.on_terminal() and not options.yes and not options.as_json
    estimate = options.estimate or (asks and click.confirm("Show what old sessions would cost (`extractord once --estimate`)?", err=True))
    if estimate and (status := every_day.once.main(["--estimate"], standalone_mode=False)):
        return int(status)
    install = options.install or (asks and click.confirm("Install the daemon as a service (`extractord install`)?", err=True))
    if install and (status := set_up.install.main([], standalone_mode=False)):
        return int(status)
    if not estimate and not install:
        click.echo("next: `extractord once --estimate`, then `extractord install`", err=True)
    return 0
