"""The ghost in a picture is what its room has marked, as an outline, and nothing else of the pinned settings."""

from dataclasses import replace

import plotly.graph_objects as go

from ui.ghosts import NAME, ghosted
from ui.live import Picture

LINE = {"color": "#2b7bd6", "width": 3, "dash": "solid"}


def curve(y: float, **more) -> dict:
    return {"type": "scatter", "mode": "lines", "x": [0, 1], "y": [y, y], "line": LINE} | more


def dot(y: float, **more) -> dict:
    colour = {"fillcolor": "#2b7bd6", "line": {"width": 0}}
    return {"type": "circle", "x0": 0, "x1": 1, "y0": y, "y1": y + 1} | colour | more


def picture(y: float, **more) -> Picture:
    """A band, a curve and a mark that may have ghosts, and others that may not; all at the height ``y``."""
    hover = f"%{{y}}<extra>curve {y}</extra>"
    band = curve(y, name="band", fill="toself", fillcolor="#eef")
    data = [band, curve(y, name="private", meta="ghost", hovertemplate=hover), curve(y, name="without")]
    layout = {"title": {"text": f"At {y}"}, "shapes": [dot(y, name="ghost"), dot(y + 5)], "uirevision": "keep"}
    known = {"name": "accuracy", "alt": f"Accuracy {y}", "clicks": {"place": "spot"}}
    return Picture(figure={"data": data, "layout": layout}, **(known | more))


def test_only_what_is_marked_has_a_ghost_and_it_lies_below_todays():
    mine, theirs = picture(1), picture(2)
    ((shown,),) = ghosted([[mine]], [[theirs]])
    assert (mine, theirs) == (picture(1), picture(2)), "cached pictures stay as they are"
    assert len(go.Figure(shown.figure).data) == 4
    drawn = [(one["name"], one["y"][0]) for one in shown.figure["data"]]
    assert drawn == [("band", 1), (NAME, 2), ("private", 1), ("without", 1)]
    assert [one["y0"] for one in shown.figure["layout"]["shapes"]] == [2, 1, 6]
    assert shown.figure["layout"]["title"] == {"text": "At 1"}
    assert (shown.alt, shown.name, shown.clicks) == ("Accuracy 1", "accuracy", {"place": "spot"})


def test_a_ghost_is_an_outline_in_the_colour_of_its_own():
    marked = curve(2, meta="ghost", fill="tozeroy", fillcolor="#eef", marker={"size": 9, "color": "#2b7bd6"})
    other = replace(picture(2), figure={"data": [marked], "layout": {"shapes": [dot(2, name="ghost")]}})
    ((shown,),) = ghosted([[picture(1)]], [[other]])
    ghost = next(one for one in shown.figure["data"] if one.get("name") == NAME)
    assert ghost["line"] == LINE | {"dash": "dash"}
    assert ghost["marker"] == {"size": 9, "color": "#2b7bd6", "symbol": "circle-open"}
    assert not {"fill", "fillcolor", "meta"} & set(ghost)
    mark = shown.figure["layout"]["shapes"][0]
    assert "fillcolor" not in mark
    assert mark["line"] == {"color": "#2b7bd6", "width": 1.5}
    rule = {"type": "line", "x0": 1, "x1": 1, "y0": 0, "y1": 1, "name": "ghost", "line": {"width": 1.2, "dash": "dot"}}
    other = replace(picture(2), figure={**picture(2).figure, "layout": {"shapes": [rule]}})
    ((shown,),) = ghosted([[picture(1)]], [[other]])
    assert shown.figure["layout"]["shapes"][0]["line"] == {"width": 1.2, "dash": "dash"}
    assert shown.figure["data"][1]["hovertemplate"] == f"%{{y}}<extra>{NAME}</extra>"


def test_without_counterparts_or_marks_pictures_stay_as_they_are():
    rows = [[picture(1), picture(1, name="map", pair=True)]]
    for pinned in ([], [[]], [[picture(2, name="another")]]):
        assert ghosted(rows, pinned) == rows
    bare = replace(picture(1), figure={"data": [curve(1)], "layout": {}})
    ((shown,),) = ghosted([[bare]], [[bare]])
    assert shown is bare
