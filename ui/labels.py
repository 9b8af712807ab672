"""What each page's privacy label says of a result, read from ``labels.toml``."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dpcore.privacy import Guarantee
from lab.label import Stated
from lab.settings import Settings

_READ = tomllib.loads(Path(__file__).with_name("labels.toml").read_text("utf-8"))


def of(
    topic: str,
    *,
    sources: Mapping[str, str] = MappingProxyType({}),
    promise: Callable[[Any], Guarantee | None] = lambda result: result.settings.promise,
    cases: Callable[[Any], Iterable[str]] = lambda _: (),
    holes: Callable[[Any], Mapping[str, Any]] = lambda _: {},
) -> Callable[[Any], Stated]:
    """Return ``Page.label`` of a topic.

    sources: data set -> what it is called. promise: result -> its guarantee. cases: result -> names of further texts
    that apply. holes: result -> what fills the holes of the texts.
    """

    def label(result: Any) -> Stated:
        page, settings = _READ[topic], result.settings
        texts = _READ["common"] | {name: text for name, text in page.items() if not isinstance(text, dict)}
        for more in (*_chosen(page, settings, sources), *(page["case"][case] for case in cases(result))):
            texts |= more
        claims = texts.pop("claims", True)
        said = {name: text.format_map(holes(result)) for name, text in texts.items()}
        why = {name: said.pop(name, "") for name in ("nothing", "void")}
        return Stated(promise=promise(result), claimed=settings.epsilon if claims else None, said=said, **why)

    return label


def _chosen(page: Mapping[str, Any], settings: Settings, sources: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    """Yield the texts that the settings choose: those of [page.field.value], and of what all own files share."""
    for field, options in page.items():
        if isinstance(options, dict) and field != "case":
            value = getattr(settings, field)
            yield {"source": sources[value]} if value in sources else {}
            yield _READ["own"] if value == "own" else {}
            yield options.get(value, {})
