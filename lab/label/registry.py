"""A privacy label as a record of OpenDP's deployments registry: a draft in YAML, to be completed by
the curator.

Sections and fields, in ``registry.toml``, are those of the registry's schema of 15 July 2026. What
nobody said is left out, or "not stated" where the schema requires a text.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dpcore.privacy import Guarantee
from lab.label.deployments import model_of
from lab.label.label import NOT_STATED, Label, number, sections

MODEL, STATISTICS = "Machine learning model", "Summary statistics"
_FIELDS = tomllib.loads(Path(__file__).with_name("registry.toml").read_text("utf-8"))
# The registry's tier of a record that states variant, unit, parameters and deployment model.
_TIER = 2


def record(found: Label, promise: Guarantee, *, slug: str, name: str, product: str) -> str:
    """Return the record (YAML) of a label that holds. slug: for its address. product: ``MODEL`` or
    ``STATISTICS``.
    """
    parameters = {"epsilon": promise.epsilon, "delta": promise.delta}
    computed = {
        "name": name,
        "data_curators": [found["contact"]],
        "intended_use": NOT_STATED,
        "data_product_type": product,
        "data_product_region": NOT_STATED,
        "variant_name": "Approximate DP" if promise.delta else "Pure DP",
        "privacy_unit": f"{promise.unit.capitalize()}-level",
        "privacy_parameters": {one: value for one, value in parameters.items() if value},
        "model_name": model_of(str(found["trust"])),
        "release_type": "One release",
        "registry_authors": [found["contact"]],
    }
    deployment = {
        section: {
            field: _several(found, names) if names else computed[field]
            for field, names in fields.items()
        }
        for section, fields in _FIELDS.items()
    }
    whole = {"url_slug": slug, "status": "Draft", "tier": _TIER, "deployment": deployment}
    return "\n".join(_lines(whole)) + "\n"


def _several(found: Label, names: list[str]) -> str:
    """Return what these fields say, each under its name where there are several; "" where nothing
    is stated.
    """
    words = {
        field: f"{title}: " * (len(names) > 1)
        for one in sections().values()
        for field, title in one.items()
    }
    told = {name: found[name] for name in names if found[name] != NOT_STATED}
    return ". ".join(
        f"{words[name]}{one if isinstance(one, str) else number(one)}" for name, one in told.items()
    )


def _lines(values: Mapping[str, Any], pad: str = "") -> Iterator[str]:
    """Yield the lines of a mapping in YAML, whose texts are those of JSON; empty values are left
    out.
    """
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from (f"{pad}{name}:", *_lines(value, f"{pad}  "))
        elif isinstance(value, list):
            yield from (f"{pad}{name}:", *(f"{pad}  - {_scalar(one)}" for one in value))
        elif value != "":
            yield f"{pad}{name}: {_scalar(value)}"


def _scalar(value: str | float) -> str:
    """Return a text or a number in YAML.

    A power of ten has a point, without which YAML 1.1 takes it for a text.
    """
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    mantissa, power, exponent = f"{value:.6g}".partition("e")
    return f"{mantissa}{'.0' * ('.' not in mantissa)}e{exponent}" if power else mantissa
