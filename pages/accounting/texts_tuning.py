"""The cost of hyperparameter tuning, by what of it is released."""

from dpcore.accountants import selection
from dpcore.privacy import LAWS, Guarantee
from lab.papers import short
from pages.accounting.charts import number
from pages.accounting.result import AccountingResult
from pages.accounting.texts import SAYS, is_bound, plain
from ui.text import tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import in_hundred

# The first word of a guarantee's basis -> the accountant.
_ACCOUNTANTS = {"exact": "GDP accountant", "PLD": "PLD accountant", "RDP": "RDP accountant"}


def searches(result: AccountingResult) -> str:
    """Return the cost of having tried several configurations, by what is released, and when it
    holds.
    """
    tried = result.settings.settings_tried
    ex_post = SAYS("searches.ex_post", ligett=short("ligett2017"), ghazi=short("ghazi2025"))
    if tried == 1:
        return tiles.bullets([SAYS["effects.one"], ex_post])
    rows = [
        {
            "way": SAYS(f"searches.{way}", tried=tried),
            "epsilon": f"<b>{plain(held)}</b>",
            "chance": f"{in_hundred(result.chance(way))}\u00a0%",
            "tries": SAYS("searches.median", tries=selection.median(law=way, tries=tried))
            if way in LAWS
            else SAYS("searches.fixed", tries=tried),
            "basis": SAYS[f"source.{way}"] if way in LAWS else _counted(held),
        }
        for way, held in result.searches.items()
    ]
    epsilons = {name: number(result.epsilon(name)) for name in ("renyi", "pld")}
    delta = delta_text(result.settings.delta, digits=3)
    caption = SAYS("searches.caption", delta=delta, accountant=result.settings.tightest, **epsilons)
    fixed, found = (in_hundred(result.chance(way)) for way in ("all", "logarithmic"))
    said = [
        f"{_cheapest(result)} {SAYS('searches.means', tried=tried, fixed=fixed, found=found)}",
        SAYS("searches.assumed", tried=tried),
        ex_post,
    ]
    return tiles.table(
        rows, caption=caption, heads=SAYS.heads("searches", rows[0], tried=tried)
    ) + tiles.bullets(said)


def _counted(held: Guarantee | None) -> str:
    """Return the accountant of runs that are composed."""
    if held is None:
        return "…"
    accountant = _ACCOUNTANTS[held.basis.split()[0]]
    if "coarse grid" in held.basis:
        return SAYS("searches.coarse", accountant=accountant)
    return accountant


def _cheapest(result: AccountingResult) -> str:
    """Return the cheapest release on private rows, as far as all tries are counted."""
    best, together = result.best_alone, result.tuned
    law = min(best, key=lambda law: best[law].epsilon)
    if together is None:
        case = "counting"
    elif together.epsilon <= best[law].epsilon:
        case = "cheaper"
    else:
        case = "best_bound" if is_bound(together) else "best"
    costs = {"alone": plain(best[law]), "together": plain(together)}
    tried, name = result.settings.settings_tried, "Poisson" if law == "poisson" else law
    return SAYS(f"searches.{case}", tried=tried, law=name, **costs)
