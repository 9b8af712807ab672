"""Sentences about uploaded rows that several pages share: the rows used, and who is protected."""

from lab.experiment.data_settings import SourceSettings
from lab.uploads.column_roles import Roles
from ui.text import tiles
from ui.text.numbers import number
from ui.text.texts import SAYS

# A smaller file is mentioned only if the noise of the whole file would weigh so much less.
_NOTABLE_RATIO = 1.05


def training_rows(
    settings: SourceSettings,
    *,
    tested: int,
    along: str = "",
    several: bool = False,
    most: int | None = None,
) -> str:
    """State how many rows of a file are used for training and for tests.

    Args:
        settings: Settings with an uploaded file.
        tested: Number of held-out rows.
        along: What must be raised together with the number of rows.
        several: Whether several rows of a person are used.
        most: The most rows of a person that are used; None for all.
    """
    tested_text = f"{tested:,}"
    unit = "rows"
    each = ""
    if settings.by_person:
        unit = "people"
        if several:
            tested_text = SAYS("own.others", tested=tested)
            each = _rows_of_each(most)
    rows = settings.file.private
    used = f"{settings.rows:,} {unit}{each}"
    if settings.rows < rows:
        used = SAYS("own.used", used=settings.rows, rows=rows, unit=unit, each=each)
        ratio = rows / settings.rows
        if ratio >= _NOTABLE_RATIO:
            used = SAYS("own.noise", used=used, along=along, times=number(ratio))
    return SAYS("own.trained", used=used, tested=tested_text)


def _rows_of_each(most: int | None) -> str:
    if most is None:
        return SAYS["own.all-each"]
    return SAYS("own.most-each", most=most)


def uploaded_scope(roles: Roles, *, public: str, most: int | None = None) -> str:
    """State who is protected in an uploaded file, and what is not (HTML).

    Args:
        roles: Roles of the file's columns.
        public: What is taken as public, besides the declarations.
        most: The most rows of a person that are used; None for all.
    """
    if not roles.person:
        case = "row"
    elif most is not None:
        case = "person-most"
    else:
        case = "person-all"
    scope = SAYS(f"own.{case}", protected=protected_unit(roles), public=public, most=most)
    return tiles.note(f"{scope} {SAYS['own.not-protected']}")


def protected_unit(roles: Roles) -> str:
    """Begin a sentence about the unit of privacy, conditional if bounds were read off the rows."""
    if roles.void:
        return SAYS["own.void"]
    return SAYS["own.protected"]
