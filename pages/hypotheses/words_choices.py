"""The page's introduction, selectors, sliders and "?" texts."""

from pages.hypotheses.figures import SAYS

NOISES = {
    "exponential": "Output perturbation",
    "gaussian": "Gaussian",
    "objective": "Objective perturbation",
}
DIVERGENCES = {"kl": "least divergence (KL)", "squares": "least squares"}
PROJECTIONS = {"svd": "Projected", "hashing": "Hashed", "none": "All words"}
LEAD = SAYS["lead"]
DATA_HELP, NOISES_HELP, PROJECTIONS_HELP = (SAYS[f"help.{name}"] for name in ("data", "noise", "projection"))
NEWSGROUPS, NO_DOWNLOAD = SAYS["help.newsgroups"], SAYS["help.no_download"]
_KNOBS = ("epsilon", "sources", "dimension", "target_rows", "public_rows", "repeats", "seed")
KNOBS = {name: {"help": SAYS[f"help.{name}"]} for name in _KNOBS}
KNOBS["sources"] |= {"label": "Sources", "symbol": "K"}
KNOBS["dimension"] |= {"label": "Features kept", "scale": "log", "stops": 12, "symbol": "d'"}
KNOBS["target_rows"]["label"] = "Target rows"
KNOBS["public_rows"]["label"] = "Public rows"
_DRAWN = ("epsilon", "weights", "gain", "others", "share", "error", "plane", "noise", "laws", "dimension")
ABOUT = {name: SAYS[f"about.{name}"] for name in _DRAWN}
