"""A page of one slider, one curve and one table: all that an ensemble of numbers needs to be seen."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lab.ensemble import Ensemble, EnsembleResult
from lab.settings import Spread
from ui import live, panels
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed
from ui.panels import Number
from ui.plot import theme
from ui.plot.curves import Curve, over, trained
from ui.texts import Texts

HEIGHT = 455


def simple(
    module: str,
    settings: type[Ensemble],
    *,
    knobs: Knobs,
    xaxis: dict,
    within: tuple[float, float],
    levels: Mapping[str, float] | None = None,
    write: Callable[[float], str] = panels.number,
    **page: Any,
) -> Page:
    """Return the page of these settings, with the texts of ``texts.md`` beside ``module``, its file.

    The texts are title, question, about, lead, tile, verdict, axis, chart, caption, and why, a list of sentences. They
    may hold every field of the settings and the low, median and high quantile of the runs. xaxis: the chart's; within:
    lowest and highest value on the other axis. levels: name -> height of a reference line. write: how a value of the
    runs is written. page: other fields of the page, as icon and group.
    """
    says = Texts(module)
    holes = _holes(write)

    def pictures(result: EnsembleResult) -> list[list[live.Picture]]:
        figure = _curve(result, says, xaxis=xaxis, within=within, levels=levels or {}, write=write)
        about = says("caption", **holes(result))
        return [[live.Picture(name="curve", figure=figure, about=about, height=HEIGHT)]]

    def numbers(result: EnsembleResult) -> Sequence[Number]:
        found = holes(result)
        range_ = Number("90 % of runs", f"{found['low']} <small>to</small> {found['high']}")
        return [Number(says["tile"], found["median"], tone="private", amount=result.spread.median), range_]

    return Page(
        name=settings.__module__.split(".")[1],
        title=says["title"],
        about=says["about"],
        question=says["question"],
        settings=settings,
        setup=lambda desk: None,
        lead=always(says["lead"]),
        knobs=always(knobs),
        numbers=numbers,
        words={
            "verdict": lambda result: says("verdict", **holes(result)),
            "why": listed(lambda result: [says(one, **holes(result)) for one in says if one.startswith("why")]),
            "guarantee": lambda result: panels.guarantee(run=result.settings.promise),
            "table": lambda result: _table(result, says, write),
        },
        pictures=pictures,
        tabs=(WHY_TAB, GUARANTEE_TAB, Tab("table", "Results table", ("table",))),
        frames=lambda result: {"Runs": lambda: result.curve.frame("value", over=result.settings.OVER)},
        **page,
    )


def _holes(write: Callable[[float], str]) -> Callable[[EnsembleResult], dict[str, Any]]:
    return lambda result: (
        vars(result.settings) | {name: write(value) for name, value in zip(Spread._fields, result.spread, strict=True)}
    )


def _curve(
    result: EnsembleResult,
    says: Texts,
    *,
    xaxis: dict,
    within: tuple[float, float],
    levels: Mapping[str, float],
    write: Callable[[float], str],
) -> dict:
    at, quantiles = result.curve.over()
    now, median = result.settings.now, result.spread.median
    return over(
        *(Curve(name=name, y=y, value=write(y), colour=theme.NON_PRIVATE) for name, y in levels.items()),
        Curve(
            name=says["tile"],
            x=at,
            y=quantiles,
            value=write(median),
            colour=theme.PRIVATE,
            at_now=result.spread,
            runs=np.clip(result.now, *within),
            ghost=True,
        ),
        now=now,
        title=theme.title(says["chart"], trained(len(at), len(result.curve.at))),
        legend=True,
        xaxis=xaxis,
        yaxis={"title": {"text": says["axis"]}, "range": list(within)},
    )


def _table(result: EnsembleResult, says: Texts, write: Callable[[float], str]) -> str:
    knob, now = result.settings.OVER, panels.number(result.settings.now)
    heads = {knob: knob, "low": "5 % of runs below", "median": "median", "high": "5 % of runs above"}
    formats = {knob: panels.number} | dict.fromkeys(Spread._fields, write)
    return panels.table(result.table(), caption=says["axis"], heads=heads, formats=formats, now=now)
