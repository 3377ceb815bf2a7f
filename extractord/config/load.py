"""From TOML to ``Config``.

Owns: reading, the errors with line and nearest key, what the environment overrides, and where each value came from. Leaves the options
to ``options``.
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from extractord.config.globs import matches
from extractord.config.lines import KeyPath, line_of
from extractord.config.locations import Locations
from extractord.config.options import Backend, Config, Price, ProjectRule, Record
from extractord.config.values import ClockTime, Seconds
from extractord.errors import UsageError

BACKEND_VARIABLE = "EXTRACTORD_BACKEND"
_NO_OPTION = "origins"  # the one field of Config that no file may set
_PRICE_KEYS = frozenset(Price.__struct_fields__)


class Source(msgspec.Struct, frozen=True):
    """One key of the effective configuration: what it is, and who said so."""

    key: str  # dotted
    value: str
    source: str  # "default", the config file's path, or a variable's name


def load(path: Path | None, environ: Mapping[str, str]) -> Config:
    """Return the configuration in force: the file at ``path`` (None: the usual place; it need not exist), then ``EXTRACTORD_BACKEND``.

    Raises UsageError with file and line for anything that is not understood.
    """
    place = path or Locations.of(environ).config_file
    return _override(parse(read_text(place), place), environ)


def parse(text: str, path: Path) -> Config:
    """Return what ``text`` says; ``path`` is for the errors."""
    if not text:
        return Config()  # many have no file: nothing is loaded to read it
    import tomllib

    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"{path} is not valid TOML: {error}", hint="Correct the line, or move the file away to use the defaults."
        ) from error
    _refuse_unknown(tables, text, path)
    prices = tables.get("prices")
    if isinstance(prices, dict) and _PRICE_KEYS & prices.keys():
        tables["prices"] = {str(tables.get("model", Config().model)): prices}
    try:
        config = msgspec.convert(tables, Config, dec_hook=_read_value)
    except msgspec.ValidationError as error:
        raise _wrong_value(error, text, path) from error
    origins = {key: str(path) for key, _ in _flat(config, "") if _is_set(key, tables)}
    return msgspec.structs.replace(config, origins=origins)


def rule_for(root: str, config: Config, home: Path) -> ProjectRule:
    """Return what the ``[[project]]`` rules say together about ``root``: the later rule wins, key by key."""
    rules = [rule for rule in config.project if matches(rule.match, root, home)]
    return ProjectRule(
        match=root,
        backend=next((rule.backend for rule in reversed(rules) if rule.backend is not None), None),
        off=next((rule.off for rule in reversed(rules) if rule.off is not None), None),
        team=next((rule.team for rule in reversed(rules) if rule.team is not None), None),
    )


def backend_for(root: str, config: Config, home: Path) -> Backend:
    """Return the backend of the project at ``root``."""
    return rule_for(root, config, home).backend or config.backend


def sources(config: Config) -> tuple[Source, ...]:
    """Return every key of a loaded configuration with its value in force and its origin."""
    return tuple(Source(key, _shown(value), config.origins.get(key, "default")) for key, value in _flat(config, ""))


def read_text(path: Path) -> str:
    try:
        if path.exists() and not path.is_file():  # a FIFO would be waited for
            raise UsageError(f"{path} is no regular file", hint="Move it away, or name another with EXTRACTORD_CONFIG.")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 (byte {error.start})", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", hint="Give yourself read access to it.") from error


def _override(config: Config, environ: Mapping[str, str]) -> Config:
    """Let ``EXTRACTORD_BACKEND`` decide everywhere: also over the rules of projects and of the dream."""
    named = environ.get(BACKEND_VARIABLE)
    if not named:
        return config
    try:
        backend = Backend(named)
    except ValueError:
        words = ", ".join(one.value for one in Backend)
        raise UsageError(f"{BACKEND_VARIABLE} is {named!r}, which is no backend", hint=f"Use one of {words}.") from None
    rules = tuple(msgspec.structs.replace(rule, backend=None) for rule in config.project)
    dream = msgspec.structs.replace(config.dream, backend=None)
    origins = {**config.origins, "backend": BACKEND_VARIABLE, "dream.backend": BACKEND_VARIABLE}
    return msgspec.structs.replace(config, backend=backend, project=rules, dream=dream, origins=origins)


def _read_value(kind: type, written: object) -> object:
    if issubclass(kind, (Seconds, ClockTime)):
        return kind.read(written)
    raise NotImplementedError(kind)


def _known_keys(record: type[Record]) -> dict[str, type[Record] | None]:
    """Return the keys of a table, with the record of those that are tables (or lists of tables) themselves."""
    found: dict[str, type[Record] | None] = {}
    for option in msgspec.structs.fields(record):
        if option.name == _NO_OPTION:
            continue
        inner = ProjectRule if option.name == "project" else option.type
        found[option.encode_name] = inner if isinstance(inner, type) and issubclass(inner, Record) else None
    return found


def _all_keys() -> list[str]:
    top = _known_keys(Config)
    return [*top, *(f"{name}.{key}" for name, record in top.items() if record for key in _known_keys(record))]


def _refuse_unknown(tables: Mapping[str, Any], text: str, path: Path) -> None:
    for key in _unknown(tables, Config, ()):
        name = ".".join(str(part) for part in key if not isinstance(part, int))
        line = line_of(text, key)
        near = _nearest(name)
        hint = f"Did you mean `{near}`?" if near else "`extractord config --show` lists the keys."
        raise UsageError(f"{path}, line {line}: unknown key `{name}`", hint=hint)


def _unknown(tables: Mapping[str, Any], record: type[Record], above: KeyPath) -> Iterator[KeyPath]:
    known = _known_keys(record)
    for key, value in tables.items():
        if key not in known:
            yield (*above, key)
        elif inner := known[key]:
            many = value if isinstance(value, list) else [value]
            for place, one in enumerate(many):
                if isinstance(one, dict):
                    yield from _unknown(one, inner, (*above, key, place) if isinstance(value, list) else (*above, key))
        elif key == "prices" and isinstance(value, dict):
            yield from _unknown_prices(value, (*above, key))


def _unknown_prices(prices: Mapping[str, Any], above: KeyPath) -> Iterator[KeyPath]:
    flat = bool(_PRICE_KEYS & prices.keys())
    for name, value in prices.items():
        if flat and name not in _PRICE_KEYS:
            yield (*above, name)
        elif not flat and isinstance(value, dict):
            yield from _unknown(value, Price, (*above, name))


def _nearest(name: str) -> str:
    """Return the known key that ``name`` probably means, "" if none is near."""
    import difflib  # only a wrong key needs it

    keys = _all_keys()
    if near := difflib.get_close_matches(name, keys, n=1, cutoff=0.75):
        return near[0]
    by_last = {key.rpartition(".")[2]: key for key in keys}
    near = difflib.get_close_matches(name.rpartition(".")[2], list(by_last), n=1, cutoff=0.7)
    return by_last[near[0]] if near else ""


def _wrong_value(error: msgspec.ValidationError, text: str, path: Path) -> UsageError:
    """Return the error for people: msgspec names the place as `` - at `$.limits.turns` ``."""
    what, _, place = str(error).partition(" - at `$")
    key: KeyPath = tuple(
        int(found[1]) if found[1] else found[2] for found in re.finditer(r"\[(\d+)\]|\.([^.\[\]`]+)", place) if found[0] != "[...]"
    )
    name = ".".join(part for part in key if isinstance(part, str)) or "a value"
    said = what[:1].lower() + what[1:]
    return UsageError(
        f"{path}, line {line_of(text, key)}: `{name}` is not right: {said}",
        hint="Correct the line; `extractord config --show` lists keys and values.",
    )


def _flat(record: Record, above: str) -> Iterator[tuple[str, object]]:
    for name in record.__struct_fields__:
        value = getattr(record, name)
        if isinstance(value, Record):
            yield from _flat(value, f"{above}{name}.")
        elif name == "prices":
            yield from ((f"prices.{model}", price) for model, price in value.items())
        elif name == "project":
            yield from ((f"project[{place}]", rule) for place, rule in enumerate(value))
        elif name != _NO_OPTION:
            yield f"{above}{name}", value


def _is_set(key: str, tables: Mapping[str, Any]) -> bool:
    if key.startswith(("prices.", "project[")):
        return True
    table, dot, name = key.rpartition(".")
    return name in (tables.get(table, {}) if dot else tables)


def _shown(value: object) -> str:
    match value:
        case None:
            return "(default)"
        case bool():
            return "true" if value else "false"
        case enum.Enum():
            return str(value.value)
        case Record():
            return ", ".join(
                f"{name} = {_shown(getattr(value, name))}" for name in value.__struct_fields__ if getattr(value, name) is not None
            )
        case tuple():
            return ", ".join(_shown(one) for one in value)
        case float() if not isinstance(value, Seconds) and math.isfinite(value):
            return f"{value:g}"
        case _:
            return str(value)
