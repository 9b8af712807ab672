"""What every page shows, written down, to see that a change of the code changed no picture, number or word.

    python -m scripts.snapshot write before.json          # defaults and two random links a page, seeded
    python -m scripts.snapshot write after.json --only classifier regression
    python -m scripts.snapshot compare before.json after.json

Each page is run as a script until its work is done. Written down are its elements, the messages of its charts and
knobs, and its downloads; long ones as a digest.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

import ui.compute
from dpcore.check import RefusedError
from pages import table
from ui.live import serving

ROOT = Path(__file__).parents[1]
TOPICS = tuple(page.name for page in table.PAGES)
# Random links stay cheap: at most so many of what work grows with.
MOST = {"repeats": 6, "parties": 60, "members": 40, "canaries": 60, "steps": 40, "rows": 600, "public_rows": 200}
# What changes from one server to the next, or says where in the code something stands.
_PASSING = {"id", "url", "fragmentId", "formId", "pageScriptHash", "scriptHash", "mediaFileId", "deferredFileId"}


def opened(topic: str, link: Mapping[str, str]) -> AppTest:
    """The page at this link, with all its work done."""
    app = AppTest.from_file(str(ROOT / "pages/frame.py"), default_timeout=600)
    app._page_hash = calc_hash(topic)  # AppTest.switch_page knows only pages that are files
    for name, value in link.items():
        app.query_params[name] = value
    return app.run()


def turned(topic: str, app: AppTest) -> Iterator[AppTest]:
    """The page with each of its tabs open."""
    page = next(page for page in table.PAGES if page.name == topic)
    for tab in page.at(app.session_state[f"{topic}.desk"].settings).all_tabs:
        app.session_state[f"{topic}.tabs"] = tab.title
        yield app.run()


def random_link(desk: Any, seed: int) -> dict[str, str]:
    """Settings of the page drawn at random: each choice, and each knob within its range at that moment."""
    random = np.random.default_rng([seed, *desk.page.encode()])
    settings = desk.settings
    for name, (_, options) in desk.choices.items():
        if name != "own" and "own" not in options and "newsgroups" not in options:
            with suppress(RefusedError):
                settings = settings.change(**{name: list(options)[random.integers(len(options))]})
    for name in list(settings.limits):
        low, high = settings.limits[name]
        high = min(high, max(low, MOST.get(name, high)))
        share = random.random()
        value = low * (high / low) ** share if low > 0 and high / low > 100 else low + (high - low) * share
        with suppress(RefusedError):
            settings = settings.change(**{name: round(value) if isinstance(low, int) else float(f"{value:.4g}")})
    return {name: str(value) for name, value in asdict(settings).items()}


def shown(topic: str, link: Mapping[str, str]) -> tuple[dict[str, Any], AppTest]:
    """(what the page shows, the page)."""
    seen: dict[str, Any] = {"messages": [], "downloads": {}}

    def mount(name: str, *, css: str | None = None, **how: Any) -> None:
        data = how.get("data")
        seen["messages"].append(
            [name, json.loads(data) if isinstance(data, bytes) else json.loads(json.dumps(data, default=str))]
        )

    def download(label: str, *, data: Any, file_name: str, **_: Any) -> bool:
        made = data() if callable(data) else data
        seen["downloads"][file_name] = _short(made.decode() if isinstance(made, bytes) else made)
        return False

    real = serving.mount, st.download_button, ui.compute.compute
    serving.mount, st.download_button = mount, download
    ui.compute.compute = lambda experiment, **_: real[2](experiment, seconds=1e9)
    try:
        app = opened(topic, link)
        seen["elements"] = [
            [_plain(MessageToDict(one.proto)) for one in _leaves(each.main)] for each in turned(topic, app)
        ]
    finally:
        serving.mount, st.download_button, ui.compute.compute = real
    seen["exceptions"] = [one.value for one in app.exception]
    return seen, app


def _leaves(block: Any) -> Iterator[Any]:
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from _leaves(child)
        elif getattr(child, "proto", None) is not None and hasattr(child.proto, "DESCRIPTOR"):
            yield child


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items() if name not in _PASSING}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def _short(text: str) -> str:
    return (
        text if len(text) < 400 else f"{len(text)} characters, {sha256(text.encode()).hexdigest()[:16]}: {text[:120]}"
    )


def everything(topics: Sequence[str] = TOPICS) -> dict[str, Any]:
    """Page and link -> what it shows."""
    found = {}
    for topic in topics:
        found[topic], app = shown(topic, {})
        desk = app.session_state[f"{topic}.desk"]
        for seed in (1, 2):
            link = random_link(desk, seed)
            found[f"{topic} {seed}"], _ = shown(topic, link)
            found[f"{topic} {seed}"]["link"] = link
        print(topic, file=sys.stderr, flush=True)
    return found


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """A line for each place where two snapshots differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for name in one.keys() | other.keys():
            yield from differences(one.get(name), other.get(name), f"{path}/{name}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{path}/{place}")
    elif one != other:
        yield f"{path}: {str(one)[:160]} -> {str(other)[:160]}"


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("write", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--only", nargs="+", choices=TOPICS, default=TOPICS, help="the pages that are written")
    asked = parser.parse_args()
    if asked.verb == "write":
        asked.files[0].write_text(json.dumps(everything(asked.only), sort_keys=True))
        return 0
    found = sorted(differences(*(json.loads(file.read_text()) for file in asked.files)))
    print(*(found or ["no difference"]), sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(run())
