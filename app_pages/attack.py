"""What is a guarantee worth against an attacker?"""

import streamlit as st

from dpcore.data import DATASETS
from dpcore.experiments.attack import AttackSettings
from dpcore.experiments.classifier_claims import VERSIONS
from ui import controls, live, panels
from ui.compute import SLICE_SECONDS, compute
from ui.figures import attack as figures
from ui.figures import attack_audits as audited
from ui.figures import attack_parts as others
from ui.figures import theme
from ui.sentences import attack as say
from ui.sentences import attack_audits as judge
from ui.sentences import attack_parts as tell

PARTS = {
    "worlds": "Two worlds",
    "membership": "Membership",
    "audit": "Audit",
    "once": "One run",
    "pays": "Who pays",
    "inversion": "Inversion",
}
LEAD = {
    "worlds": "**Click a point**: that is the person. The same model is trained thousands of times with this person "
    "and with another instead; the attacker sees one of them. **Drag the person** anywhere, or click beside all "
    "points; then drag epsilon.",
    "membership": "Many models, each trained on half of the same people. The attacker is shown a model and a person: "
    "was "
    "this one in? **Drag epsilon** and watch his curve sink below the frontier.",
    "audit": "Every mechanism of the lab is run thousands of times in two neighbouring worlds, now. What an attacker "
    "achieves bounds its epsilon from below: a claim under it is **caught**.",
    "once": "Who can train only once plants hundreds of canaries. A coin decides the class of each; the attacker "
    "guesses the coins from the weights. **Drag epsilon**, and compare with thousands of trainings.",
    "pays": "The guarantee is the same for all, its cost is not. **Drag epsilon**, and make the minority smaller.",
    "inversion": "What do published weights show: of a class, and of one person's picture, planted in the data? **Drag "
    "epsilon.**",
}
SHORT = dict(zip(VERSIONS, ("Sound", "As published", "No privacy"), strict=True))
SEES = {"weights": "the final weights", "steps": "every step"}
AGAINST = {"label": "the same person, another class", "public": "a public row"}
WHO = {"row": "a private row", "outlier": "an outlier"}
AUDIT_SECONDS = 0.3
RECIPE = ("clip_norm", "steps", "learning_rate")
KNOBS = {
    "worlds": (
        ("person", "person_x", "person_y", "clip_norm", "repeats"),
        ("label", "delta", "steps", "learning_rate"),
    ),
    "membership": (("members", *RECIPE), ("delta",)),
    "audit": ((), ()),
    "once": (("canaries", "guessed", *RECIPE), ("delta",)),
    "pays": (("minority", *RECIPE), ("delta",)),
    "inversion": (("label", *RECIPE), ("delta",)),
}
KEYS = {
    "worlds": [(name, colour, "solid") for colour, name in figures.WORLDS],
    "membership": [(name, colour, "solid") for name, colour in others.ARMS.values()],
    "audit": [
        ("consistent", audited.STANDS, "solid"),
        ("caught", audited.CAUGHT, "solid"),
        ("claimed", theme.BOUND, "solid"),
    ],
    "once": [
        ("claimed", theme.BOUND, "solid"),
        ("one training", audited.ONE, "solid"),
        *((audited.BESIDE[form], colour, "solid") for form, colour in audited.MANY.items()),
    ],
    "pays": [(name, colour, "solid") for name, colour in others.GROUP_COLOURS.items()],
    "inversion": [],
}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("part", "Attack", PARTS, wide=True, help=say.PARTS_HELP)
    if say.recipe(desk.settings.part):
        st.caption(say.recipe(desk.settings.part))
    settings = desk.settings
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if settings.part in ("worlds", "once"):
            desk.choose("version", "Version", SHORT, wide=True, help=say.VERSIONS_HELP)
        if len(settings.datasets) > 1 and settings.part != "audit":
            desk.choose("dataset", "Data", {name: DATASETS[name].title for name in settings.datasets})
        if settings.part == "worlds":
            desk.choose("sees", "The attacker sees", SEES)
            with st.popover("Person, neighbours", icon=":material/tune:"):
                desk.choose("who", "The person is", WHO)
                desk.choose("against", "In the other world stands", AGAINST)


@st.fragment
def lab() -> None:
    """All that moves while a slider moves."""
    desk = controls.desk("attack", AttackSettings)
    part = desk.settings.part
    # Nothing is dragged through the audits: longer slices, and fewer pictures of so many bars.
    slice_seconds = AUDIT_SECONDS if part == "audit" else SLICE_SECONDS
    result, done = compute(desk.settings, seconds=0 if desk.moving else slice_seconds)
    verdict, diagnostics, guarantee, _ = SAY[part]
    main, more = KNOBS[part]
    if part == "worlds" and desk.settings.who == "row":
        more = tuple(name for name in more if name != "label")  # a row has a class of its own
    hero = "seed" if part == "audit" else "epsilon"
    more = more if part == "audit" else (*more, "seed")
    panels.stage(
        desk,
        verdict=verdict(result),
        pictures=DRAW[part](result),
        cards=(
            ("How to read it", panels.bullets(diagnostics(result))),
            ("The guarantee", guarantee(result)),
        ),
        done=done,
        hero=hero,
        main=main,
        more=more,
        changes=say.KNOBS,
    )


def worlds(result) -> list[list[live.Picture]]:
    """The map, on which a click chooses, with the scores; under them the curve over epsilon."""
    people = live.Picture(
        name="map",
        figure=figures.people(result),
        alt=say.map_alt(result),
        height=380,
        clicks=figures.clicks(result),
    )
    scores = live.Picture(name="scores", figure=figures.scores(result), alt=say.scores_alt(result), height=380)
    curve = live.Picture(name="accuracy", figure=figures.accuracy(result), alt=say.accuracy_alt(result), height=340)
    return [[people, scores], [curve]]


def membership(result) -> list[list[live.Picture]]:
    """The curves, and where they come from."""
    words = tell.membership_verdict(result)
    roc = live.Picture(name="roc", figure=others.roc(result), alt=say.plain(words), height=400)
    rows = [
        live.Picture(
            name=f"margins.{arm}",
            figure=others.margins(result, arm),
            alt=f"How sure models are of members and of others, {name}.",
            height=280,
        )
        for arm, (name, _) in others.ARMS.items()
    ]
    return [[roc], rows]


def audit(result) -> list[list[live.Picture]]:
    """All audits, in two charts."""
    words = say.plain(judge.audit_verdict(result))
    return [
        [
            live.Picture(name=f"audits.{at}", figure=audited.audits(result, names), alt=words, height=1080)
            for at, names in enumerate(audited.COLUMNS)
        ]
    ]


def once(result) -> list[list[live.Picture]]:
    """The canaries of one training, and what it shows of each claim beside many trainings."""
    words = say.plain(judge.once_verdict(result))
    seen = live.Picture(name="canaries", figure=audited.canaries(result), alt=words, height=380)
    beside = live.Picture(name="beside", figure=audited.over(result), alt=words, height=380)
    return [[seen, beside]]


def pays(result) -> list[list[live.Picture]]:
    """Groups over epsilon, and the classes of each."""
    words = say.plain(tell.pays_verdict(result))
    classes = [
        live.Picture(
            name=f"classes.{group}",
            figure=others.by_class(result, place),
            alt=f"Right answers by class, {group}.",
            height=280,
        )
        for place, group in enumerate(others.GROUPS)
    ]
    return [[live.Picture(name="groups", figure=others.groups(result), alt=words, height=340)], classes]


def inversion(result) -> list[list[live.Picture]]:
    """Pictures, and how alike they are to the truth."""
    words = say.plain(tell.inversion_verdict(result))
    sheets = [
        live.Picture(
            name=f"pictures.{name}",
            figure=others.pictures(result, private=private),
            alt=f"What the weights of a model {name} privacy show, class by class. {words}",
            height=400,
        )
        for name, private in (("without", False), ("with", True))
    ]
    return [sheets, [live.Picture(name="match", figure=others.match(result), alt=words, height=320)]]


DRAW = {
    "worlds": worlds,
    "membership": membership,
    "audit": audit,
    "once": once,
    "pays": pays,
    "inversion": inversion,
}
SAY = {
    "worlds": (say.verdict, say.diagnostics, say.guarantee, say.worlds_table),
    "membership": (
        tell.membership_verdict,
        tell.membership_diagnostics,
        tell.membership_guarantee,
        tell.membership_table,
    ),
    "audit": (judge.audit_verdict, judge.audit_diagnostics, judge.audit_guarantee, judge.audit_table),
    "once": (judge.once_verdict, judge.once_diagnostics, judge.once_guarantee, judge.once_table),
    "pays": (tell.pays_verdict, tell.pays_diagnostics, tell.pays_guarantee, tell.pays_table),
    "inversion": (tell.inversion_verdict, tell.inversion_diagnostics, tell.inversion_guarantee, tell.inversion_table),
}

desk = controls.desk("attack", AttackSettings)
st.title("What is a guarantee worth against an attacker?")
part = desk.settings.part
st.markdown(LEAD[part])
panels.notices(desk.notices)
setup(desk)
if KEYS[part]:
    panels.key(KEYS[part])
result, done = compute(desk.settings)
desk.tell(done=done)
lab()
SAY[part][3](result)
panels.foot(
    desk,
    verdict=SAY[desk.settings.part][0](result),
    done=done,
    module="dpcore.experiments.attack",
    frames=result.frames(),
    how_it_works=say.how_it_works,
)
