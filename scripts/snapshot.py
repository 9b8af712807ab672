"""Record what every page shows, to see that a change of the code changes no chart, number or word.

    python -m scripts.snapshot write before.json
    python -m scripts.snapshot write after.json --like before.json --only classifier regression
    python -m scripts.snapshot compare before.json after.json

The snapshot covers the defaults of every page, ten seeded links and an uploaded table. Each page
runs as a script until its work is done, with each of its tabs open. Recorded are its elements, the
messages of its charts and sliders, and its downloads, long ones as a digest. ``--like`` opens the
links of an earlier snapshot, which is necessary after a choice was added or renamed.
"""

import argparse
import io
import json
import secrets
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import streamlit as st
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

import ui.compute.runner
from dpcore.check import RefusedError
from lab.uploads import table as own_table
from pages import topics as table
from ui.uploads import rows as my_rows
from ui.uploads.samples import SAMPLES
from ui.widgets import assets

ROOT = Path(__file__).parents[1]
TOPICS = tuple(page.name for page in table.PAGES)
# Random links stay cheap: at most so many of what work grows with.
MOST = {"repeats": 6, "parties": 60, "members": 40, "steps": 40, "rows": 600, "public_rows": 200}
LINKS = 10
# Page -> the samples that it is opened with as a visitor's own rows, and settings that keep that
# quick.
OWN = {
    "classifier": ("customers.csv",),
    "network": ("customers.csv",),
    "regression": ("salaries.csv",),
}
QUICK = {
    "network": {"repeats": "2", "epochs": "2"},
    "attack": {"repeats": "100"},
    "classifier": {"repeats": "6"},
}
# What changes from one server to the next, or says where in the code something stands.
_PASSING = {
    "id",
    "url",
    "fragmentId",
    "formId",
    "pageScriptHash",
    "scriptHash",
    "mediaFileId",
    "deferredFileId",
}


def opened(topic: str, link: Mapping[str, str]) -> AppTest:
    """Open the page at this link, with all its work done.

    A link with ``sample`` opens it with this sample's rows.
    """
    app = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=600)
    app._page_hash = calc_hash(topic)  # AppTest.switch_page knows only pages that are files
    if "sample" in link:
        held, own = _brought(link["sample"])
        app.session_state["data.brought"] = held
        link = link | {own_field(topic): "own", "own": own}
    for name, value in link.items():
        if name != "sample":
            app.query_params[name] = value
    return app.run()


def own_field(topic: str) -> str:
    """Return the name of the field that chooses the visitor's own rows."""
    return "data" if topic == "hypotheses" else "dataset"


@cache
def _brought(file: str) -> tuple[my_rows.UploadedTable, str]:
    """Return (a session's upload of this sample with its columns declared, its name in links)."""
    sample = next(one for one in SAMPLES if one.file == file)
    rows = own_table.read(sample.data)
    draft = my_rows.Draft.for_table(rows, file)
    draft.apply_notes(sample)
    if "hospital" in sample.aside:
        draft.set_use("hospital", "person")
    held = my_rows.UploadedTable(table=rows, draft=draft)
    with patch.object(secrets, "token_urlsafe", lambda _: sha256(file.encode()).hexdigest()[:22]):
        return held, str(my_rows.confirm(held))


def turned(topic: str, app: AppTest) -> Iterator[AppTest]:
    """The page with each of its tabs open."""
    page = next(page for page in table.PAGES if page.name == topic)
    for tab in page.at(app.session_state[f"{topic}.state"].settings).all_tabs:
        app.session_state[f"{topic}.tabs"] = tab.title
        yield app.run()


def random_link(state: Any, seed: int) -> dict[str, str]:
    """Settings of the page drawn at random: each choice, and each slider within its range at that
    moment.
    """
    random = np.random.default_rng([seed, *state.page.encode()])
    settings = state.settings
    for name, (_, options) in state.choices.items():
        if name != "own" and "own" not in options:
            with suppress(RefusedError):
                settings = settings.change(**{name: list(options)[random.integers(len(options))]})
    for name in list(settings.limits):
        low, high = settings.limits[name]
        high = min(high, max(low, MOST.get(name, high)))
        share = random.random()
        value = (
            low * (high / low) ** share
            if low > 0 and high / low > 100
            else low + (high - low) * share
        )
        with suppress(RefusedError):
            settings = settings.change(
                **{name: round(value) if isinstance(low, int) else float(f"{value:.4g}")}
            )
    return {name: str(value) for name, value in asdict(settings).items()}


def shown(topic: str, link: Mapping[str, str]) -> tuple[dict[str, Any], AppTest]:
    """Return (what the page shows, the page)."""
    seen: dict[str, Any] = {"messages": [], "downloads": {}}

    def mount(name: str, *, css: str | None = None, **how: Any) -> None:
        data = how.get("data")
        seen["messages"].append(
            [
                name,
                json.loads(data)
                if isinstance(data, bytes)
                else json.loads(json.dumps(data, default=str)),
            ]
        )

    def download(label: str, *, data: Any, file_name: str, **_: Any) -> bool:
        made = data() if callable(data) else data
        seen["downloads"].update(
            _files(file_name, made if isinstance(made, bytes) else made.encode())
        )
        return False

    real = assets.mount, st.download_button, ui.compute.runner.compute
    assets.mount, st.download_button = mount, download
    ui.compute.runner.compute = lambda experiment, **_: real[2](experiment, seconds=1e9)
    try:
        app = opened(topic, link)
        seen["elements"] = [
            [_plain(MessageToDict(one.proto)) for one in _leaves(each.main)]
            for each in turned(topic, app)
        ]
    finally:
        assets.mount, st.download_button, ui.compute.runner.compute = real
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


def _files(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """Yield (name, content) of a file, or of each file in an archive: without today's date, a long
    one as a digest.
    """
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for part in archive.namelist():
                yield from _files(f"{name}/{part}", archive.read(part))
        return
    plain = content.replace(date.today().isoformat().encode(), b"<today>")
    text = plain.decode("utf-8", errors="replace")
    yield (
        name,
        text
        if len(text) < 400
        else f"{len(text)} characters, {sha256(plain).hexdigest()[:16]}: {text[:120]}",
    )


def everything(
    topics: Sequence[str] = TOPICS, *, like: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return page and link -> what it shows; the links are those of the snapshot ``like``, where
    one is given.
    """
    found: dict[str, Any] = {}

    def take(key: str, topic: str, link: Mapping[str, str]) -> AppTest:
        found[key], app = shown(topic, link)
        found[key]["link"] = dict(link)
        return app

    for topic in topics:
        if like is not None:
            for key, seen in like.items():
                if key.split()[0] == topic:
                    take(key, topic, seen["link"])
        else:
            state = take(topic, topic, {}).session_state[f"{topic}.state"]
            for seed in range(1, 1 + LINKS):
                take(f"{topic} {seed}", topic, random_link(state, seed))
            for sample in OWN.get(topic, ()):
                take(f"{topic} {sample}", topic, {"sample": sample} | QUICK.get(topic, {}))
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("write", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--only", nargs="+", choices=TOPICS, default=TOPICS, help="the pages that are written"
    )
    parser.add_argument("--like", type=Path, help="a snapshot whose links are opened")
    asked = parser.parse_args()
    if asked.verb == "write":
        like = json.loads(asked.like.read_text()) if asked.like else None
        asked.files[0].write_text(json.dumps(everything(asked.only, like=like), sort_keys=True))
        return 0
    found = sorted(differences(*(json.loads(file.read_text()) for file in asked.files)))
    print(*(found or ["no difference"]), sep="\n")
    return bool(found)


if __name__ == "__main__":
    sys.exit(run())
