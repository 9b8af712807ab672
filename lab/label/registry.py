"""Write a privacy label as a record of OpenDP's deployments registry.

It is a draft in YAML, to be completed by the curator. Sections and fields, in ``registry.toml``,
are those of the registry's schema of 15 July 2026. A field without a statement is left out, or "not
stated" if the schema requires a text.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from dpcore.privacy import Guarantee
from lab.label.deployments import model_of
from lab.label.label import NOT_STATED, Label, number, sections

# Types of data products.
MODEL = "Machine learning model"
STATISTICS = "Summary statistics"
_FIELDS = tomllib.loads(Path(__file__).with_name("registry.toml").read_text("utf-8"))
# The registry's tier of a record that states variant, unit, parameters and deployment model.
_TIER = 2


def record(label: Label, guarantee: Guarantee, *, slug: str, name: str, product: str) -> str:
    """Return the record (YAML) of a label.

    Args:
        label: The label, which must not be void.
        guarantee: That of the label.
        slug: The last part of the record's address.
        name: The name of the record.
        product: ``MODEL`` or ``STATISTICS``.
    """
    variant = "Pure DP"
    if guarantee.delta:
        variant = "Approximate DP"
    parameters = {}
    if guarantee.epsilon:
        parameters["epsilon"] = guarantee.epsilon
    if guarantee.delta:
        parameters["delta"] = guarantee.delta
    computed = {
        "name": name,
        "data_curators": [label["contact"]],
        "intended_use": NOT_STATED,
        "data_product_type": product,
        "data_product_region": NOT_STATED,
        "variant_name": variant,
        "privacy_unit": f"{guarantee.unit.capitalize()}-level",
        "privacy_parameters": parameters,
        "model_name": model_of(str(label["trust"])),
        "release_type": "One release",
        "registry_authors": [label["contact"]],
    }
    deployment: dict[str, dict[str, Any]] = {}
    for section, fields in _FIELDS.items():
        deployment[section] = {}
        for field, label_fields in fields.items():
            if label_fields:
                deployment[section][field] = _joined(label, label_fields)
            else:
                deployment[section][field] = computed[field]
    document = {"url_slug": slug, "status": "Draft", "tier": _TIER, "deployment": deployment}
    return "\n".join(_lines(document)) + "\n"


def _joined(label: Label, fields: list[str]) -> str:
    """Return the texts of these fields of a label, each under its title if there are several; "" if
    none is stated.
    """
    titles: dict[str, str] = {}
    for section in sections().values():
        titles.update(section)
    texts = []
    for field in fields:
        value = label[field]
        if value == NOT_STATED:
            continue
        if isinstance(value, str):
            text = value
        else:
            text = number(value)
        if len(fields) > 1:
            text = f"{titles[field]}: {text}"
        texts.append(text)
    return ". ".join(texts)


def _lines(values: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """Yield the lines of a mapping in YAML, whose texts are those of JSON; empty values are left
    out.
    """
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield f"{indent}{name}:"
            yield from _lines(value, f"{indent}  ")
        elif isinstance(value, list):
            yield f"{indent}{name}:"
            for item in value:
                yield f"{indent}  - {_scalar(item)}"
        elif value != "":
            yield f"{indent}{name}: {_scalar(value)}"


def _scalar(value: str | float) -> str:
    """Return a text or a number in YAML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    mantissa, power, exponent = f"{value:.6g}".partition("e")
    if not power:
        return mantissa
    # Without a point, YAML 1.1 takes a power of ten for a text.
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}e{exponent}"
