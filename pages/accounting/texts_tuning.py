"""Texts on the cost of hyperparameter tuning, by what of it is released."""

from dpcore.accountants import selection
from dpcore.privacy import LAWS, Guarantee
from lab.papers import short
from pages.accounting.charts import number
from pages.accounting.result import AccountingResult
from pages.accounting.texts import SAYS, epsilon_text, is_bound
from ui.text import tables, tiles
from ui.text.numbers import delta
from ui.text.tiles import out_of_hundred

# The first word of a guarantee's basis -> the accountant.
_ACCOUNTANTS = {"exact": "GDP accountant", "PLD": "PLD accountant", "RDP": "RDP accountant"}


def searches(result: AccountingResult) -> str:
    """Return the cost of having tried several configurations, by what is released."""
    settings = result.settings
    tried = settings.settings_tried
    ex_post = SAYS("searches.ex_post", ligett=short("ligett2017"), ghazi=short("ghazi2025"))
    if tried == 1:
        return tiles.bullets([SAYS["searches.one"], ex_post])
    rows = [_row(result, way) for way in result.searches]
    caption = SAYS(
        "searches.caption",
        delta=delta(settings.delta, digits=3),
        accountant=settings.tightest,
        renyi=number(result.epsilon("renyi")),
        pld=number(result.epsilon("pld")),
    )
    means = SAYS(
        "searches.means",
        tried=tried,
        fixed=out_of_hundred(result.chance("all")),
        found=out_of_hundred(result.chance("logarithmic")),
    )
    table = tables.table(rows, caption=caption, heads=SAYS.heads("searches", rows[0], tried=tried))
    points = [f"{_cheapest(result)} {means}", SAYS("searches.assumed", tried=tried), ex_post]
    return table + tiles.bullets(points)


def _row(result: AccountingResult, way: str) -> dict[str, str]:
    """Return the cells of a way to release a search."""
    tried = result.settings.settings_tried
    guarantee = result.searches[way]
    if way in LAWS:
        tries = SAYS("searches.median", tries=selection.median(law=way, tries=tried))
        basis = SAYS[f"source.{way}"]
    else:
        tries = SAYS("searches.fixed", tries=tried)
        basis = _accountant(guarantee)
    return {
        "way": SAYS(f"searches.{way}", tried=tried),
        "epsilon": f"<b>{epsilon_text(guarantee)}</b>",
        "chance": f"{out_of_hundred(result.chance(way))}\u00a0%",
        "tries": tries,
        "basis": basis,
    }


def _accountant(guarantee: Guarantee | None) -> str:
    """Return the accountant of runs that are composed, or dots until they are counted."""
    if guarantee is None:
        return "…"
    first_word, *_ = guarantee.basis.split()
    accountant = _ACCOUNTANTS[first_word]
    if "coarse grid" in guarantee.basis:
        return SAYS("searches.coarse", accountant=accountant)
    return accountant


def _cheapest(result: AccountingResult) -> str:
    """Return the cheapest release on private rows, as far as all tries are counted."""
    best = result.best_alone
    law = min(best, key=lambda law: best[law].epsilon)
    together = result.tuned
    if together is None:
        case = "counting"
    elif together.epsilon <= best[law].epsilon:
        case = "cheaper"
    elif is_bound(together):
        case = "best_bound"
    else:
        case = "best"
    name = law
    if law == "poisson":
        name = "Poisson"
    return SAYS(
        f"searches.{case}",
        tried=result.settings.settings_tried,
        law=name,
        alone=epsilon_text(best[law]),
        together=epsilon_text(together),
    )
