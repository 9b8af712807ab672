"""Define the tabs under the first screen of a page."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ui.page.view import Rows


def _for_all_settings(_: Any) -> bool:
    return True


class Tab(NamedTuple):
    """What stands under the first screen while the tab is open.

    Attributes:
        name: Its name in links and in ``View.boards``.
        title: Its title on the page.
        texts: Names of the page's texts that it shows.
        charts: Makes the rows of charts under them from a result.
        when: Tells whether settings have the tab.
    """

    name: str
    title: str
    texts: Sequence[str] = ()
    charts: Callable[[Any], Rows] | None = None
    when: Callable[[Any], bool] = _for_all_settings


WHY_TAB = Tab("why", "Explanation", ("why",))
GUARANTEE_TAB = Tab("guarantee", "Guarantee", ("guarantee",))
# The tab of questions about a page, the name of its text, and of its chart.
ASK_TAB = Tab("what-if", "What if")
ANSWER = "answer"
# Of pages with classes: the table of results, and what accuracy alone does not say.
RESULTS_TAB = Tab("table", "Table", ("table", "classes"))
# The last tab of every page.
METHOD_TAB = Tab("method", "How it works")
# Of pages without tabs.
NO_TAB = Tab("", "")
