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
from contextlib import ExitStack, suppress
from dataclasses import asdict
from datetime import date
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import numpy as np
import streamlit as st
from google.protobuf.json_format import MessageToDict
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from dpcore.check import RefusedError
from lab.uploads import table as own_table
from pages.topics import PAGES
from ui.compute.runner import compute
from ui.uploads import rows as my_rows
from ui.uploads.samples import SAMPLES
from ui.widgets import assets

ROOT = Path(__file__).parents[1]
TOPICS = tuple(page.name for page in PAGES)
# Random links stay cheap: field -> its largest value, of what work grows with.
MOST = {"repeats": 6, "parties": 60, "members": 40, "steps": 40, "rows": 600, "public_rows": 200}
LINKS = 10
# A range whose ends are further apart, as a ratio, is drawn from on a logarithmic scale.
WIDE_RANGE = 100
# Page -> the samples that it is opened with as a visitor's own rows.
OWN_SAMPLES = {
    "classifier": ("customers.csv",),
    "network": ("customers.csv",),
    "regression": ("salaries.csv",),
}
# Page -> settings that keep that quick.
QUICK = {
    "network": {"repeats": "2", "epochs": "2"},
    "attack": {"repeats": "100"},
    "classifier": {"repeats": "6"},
}
# Texts of this length, and what is shown of a longer one.
LONGEST_TEXT = 400
SHOWN_TEXT = 120
# Letters of each value of a difference.
SHOWN_VALUE = 160
# Seconds that are more than any page needs.
ALL_THE_TIME = 1e9
DRAWING_SECONDS = 600
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

# Field -> its text in a link. The field "sample" stands for a sample as the visitor's own rows.
Link = Mapping[str, str]
# What a page shows at a link.
Recorded = dict[str, Any]


def open_page(topic: str, link: Link) -> AppTest:
    """Open a page at a link."""
    app = AppTest.from_file(str(ROOT / "pages/main.py"), default_timeout=DRAWING_SECONDS)
    # AppTest.switch_page knows only pages that are files.
    app._page_hash = calc_hash(topic)
    fields = dict(link)
    sample = fields.pop("sample", None)
    if sample is not None:
        upload, name_in_links = _uploaded(sample)
        app.session_state["data.brought"] = upload
        fields[own_field(topic)] = "own"
        fields["own"] = name_in_links
    for name, value in fields.items():
        app.query_params[name] = value
    return app.run()


def own_field(topic: str) -> str:
    """Return the name of the field that chooses the visitor's own rows."""
    if topic == "hypotheses":
        return "data"
    return "dataset"


@cache
def _uploaded(file: str) -> tuple[my_rows.UploadedTable, str]:
    """Return (a session's upload of this sample with its columns declared, its name in links)."""
    sample = next(sample for sample in SAMPLES if sample.file == file)
    rows = own_table.read(sample.data)
    draft = my_rows.Draft.for_table(rows, file)
    draft.apply_notes(sample)
    if "hospital" in sample.aside:
        draft.set_use("hospital", "person")
    upload = my_rows.UploadedTable(table=rows, draft=draft)
    # The name is random, and here the same each time.
    name = sha256(file.encode()).hexdigest()[:22]
    with patch.object(secrets, "token_urlsafe", lambda _: name):
        return upload, str(my_rows.confirm(upload))


def with_each_tab_open(topic: str, app: AppTest) -> Iterator[AppTest]:
    """Yield the page with one of its tabs open after the other."""
    page = next(page for page in PAGES if page.name == topic)
    settings = app.session_state[f"{topic}.state"].settings
    for tab in page.at(settings).all_tabs:
        app.session_state[f"{topic}.tabs"] = tab.title
        yield app.run()


def random_link(state: Any, seed: int) -> dict[str, str]:
    """Draw a value of each choice and of each slider of a page, as a link.

    A slider's value is within its range at that moment. A value that the settings refuse is left
    out.

    Args:
        state: Of a page.
        seed: Of the draw.
    """
    rng = np.random.default_rng([seed, *state.page.encode()])
    settings = state.settings
    for name, (_, options) in state.choices.items():
        if name == "own" or "own" in options:
            continue
        option = list(options)[rng.integers(len(options))]
        with suppress(RefusedError):
            settings = settings.change(**{name: option})
    for name in list(settings.limits):
        value = _random_number(name, settings.limits[name], rng)
        with suppress(RefusedError):
            settings = settings.change(**{name: value})
    return {name: str(value) for name, value in asdict(settings).items()}


def _random_number(name: str, limits: tuple[float, float], rng: np.random.Generator) -> int | float:
    """Draw a number between the limits of a field, or below ``MOST``."""
    low, high = limits
    high = min(high, max(low, MOST.get(name, high)))
    share = rng.random()
    value = low + (high - low) * share
    if low > 0 and high / low > WIDE_RANGE:
        value = low * (high / low) ** share
    if isinstance(low, int):
        return round(value)
    return float(f"{value:.4g}")


def record_page(topic: str, link: Link) -> tuple[Recorded, AppTest]:
    """Return (what a page shows at a link, the page)."""
    messages: list[Any] = []
    downloads: dict[str, str] = {}
    elements = []

    def mount(name: str, *, css: str | None = None, **options: Any) -> None:
        """Stand in for a component of the browser."""
        messages.append([name, _as_json(options.get("data"))])

    def download_button(label: str, *, data: Any, file_name: str, **_: Any) -> bool:
        """Stand in for a button that the visitor does not press."""
        if callable(data):
            data = data()
        if not isinstance(data, bytes):
            data = data.encode()
        downloads.update(_files(file_name, data))
        return False

    with ExitStack() as stack:
        stack.enter_context(patch.object(assets, "mount", mount))
        stack.enter_context(patch.object(st, "download_button", download_button))
        for module in _modules_that_compute():
            stack.enter_context(patch.object(module, "compute", _compute_all))
        app = open_page(topic, link)
        for page in with_each_tab_open(topic, app):
            leaves = [_without_passing(MessageToDict(leaf.proto)) for leaf in _leaves(page.main)]
            elements.append(leaves)
    recorded = {
        "link": dict(link),
        "messages": messages,
        "downloads": downloads,
        "elements": elements,
        "exceptions": [exception.value for exception in app.exception],
    }
    return recorded, app


def _modules_that_compute() -> list[ModuleType]:
    """Return the modules of the lab that import ``compute`` by its name."""
    modules = []
    for name, module in sys.modules.items():
        if name.startswith(("ui.", "pages.")) and getattr(module, "compute", None) is compute:
            modules.append(module)
    return modules


def _compute_all(settings: Any, **_: Any) -> Any:
    """Compute without an end of the slice."""
    return compute(settings, seconds=ALL_THE_TIME)


def _as_json(data: Any) -> Any:
    """Return a message as the browser would read it, without the name of the session."""
    if not isinstance(data, bytes):
        data = json.dumps(data, default=str)
    message = json.loads(data)
    if isinstance(message, dict):
        message.pop("session", None)
    return message


def _leaves(block: Any) -> Iterator[Any]:
    """Yield the elements of a page from top to bottom, without the blocks around them."""
    for child in block.children.values():
        if hasattr(child, "children"):
            yield from _leaves(child)
        elif hasattr(getattr(child, "proto", None), "DESCRIPTOR"):
            yield child


def _without_passing(value: Any) -> Any:
    """Return a message without the fields of ``_PASSING``."""
    if isinstance(value, Mapping):
        kept = {}
        for name, part in value.items():
            if name not in _PASSING:
                kept[name] = _without_passing(part)
        return kept
    if isinstance(value, list):
        return [_without_passing(part) for part in value]
    return value


def _files(name: str, content: bytes) -> Iterator[tuple[str, str]]:
    """Yield (name, content) of a file, or of each file in an archive.

    Today's date is replaced, and a long content is shortened.
    """
    if zipfile.is_zipfile(io.BytesIO(content)):
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for part in archive.namelist():
                yield from _files(f"{name}/{part}", archive.read(part))
        return
    undated = content.replace(date.today().isoformat().encode(), b"<today>")
    text = undated.decode("utf-8", errors="replace")
    if len(text) >= LONGEST_TEXT:
        digest = sha256(undated).hexdigest()[:16]
        text = f"{len(text)} characters, {digest}: {text[:SHOWN_TEXT]}"
    yield name, text


def take_snapshot(topics: Sequence[str] = TOPICS) -> dict[str, Recorded]:
    """Return page and link -> what it shows."""
    snapshot = {}
    for topic in topics:
        snapshot[topic], app = record_page(topic, {})
        state = app.session_state[f"{topic}.state"]
        links: dict[str, Link] = {}
        for seed in range(1, 1 + LINKS):
            links[f"{topic} {seed}"] = random_link(state, seed)
        for sample in OWN_SAMPLES.get(topic, ()):
            links[f"{topic} {sample}"] = {"sample": sample, **QUICK.get(topic, {})}
        for key, link in links.items():
            snapshot[key], _ = record_page(topic, link)
        print(topic, file=sys.stderr, flush=True)
    return snapshot


def repeat_snapshot(
    earlier: Mapping[str, Recorded], topics: Sequence[str] = TOPICS
) -> dict[str, Recorded]:
    """Return what the pages show at the links of an earlier snapshot."""
    snapshot = {}
    for topic in topics:
        for key, recorded in earlier.items():
            topic_of_key, *_ = key.split()
            if topic_of_key == topic:
                snapshot[key], _ = record_page(topic, recorded["link"])
        print(topic, file=sys.stderr, flush=True)
    return snapshot


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each place where two snapshots differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() | after.keys():
            yield from differences(before.get(name), after.get(name), f"{path}/{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index in range(len(before)):
            yield from differences(before[index], after[index], f"{path}/{index}")
    elif before != after:
        yield f"{path}: {str(before)[:SHOWN_VALUE]} -> {str(after)[:SHOWN_VALUE]}"


def main() -> int:
    """Write a snapshot, or compare two and return 1 if they differ."""
    options = read_options()
    if options.verb == "compare":
        before, after = (json.loads(file.read_text()) for file in options.files)
        lines = sorted(differences(before, after))
        if not lines:
            print("no difference")
            return 0
        print(*lines, sep="\n")
        return 1
    if options.like is None:
        snapshot = take_snapshot(options.only)
    else:
        snapshot = repeat_snapshot(json.loads(options.like.read_text()), options.only)
    (file,) = options.files
    file.write_text(json.dumps(snapshot, sort_keys=True))
    return 0


def read_options() -> argparse.Namespace:
    """Read the options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("verb", choices=("write", "compare"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--only", nargs="+", choices=TOPICS, default=TOPICS, help="the pages that are written"
    )
    parser.add_argument("--like", type=Path, help="a snapshot whose links are opened")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
