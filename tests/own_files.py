"""A visitor's own file on every page that takes one, and the same with bounds that were read off its rows."""

from dataclasses import replace

from dpcore.data import own_rows
from dpcore.data.own_rows import Roles
from dpcore.experiment import Settings
from tests import test_own_network, test_own_numbers, test_own_parties, test_own_rows, test_own_sources

# Bounds as nobody would type them, in whatever way they are written.
OFF = {"low": -137519.0, "high": 973158.0, "read_off": True}
DIGITS = ("137519", "137,519", "137 519", "973158", "973,158", "1.38e+05", "9.73e+05")


def read_off(roles: Roles) -> Roles:
    """The same with the bounds of the second column read off."""
    first, second, *others = roles.columns
    return replace(roles, columns=(first, replace(second, **OFF), *others))


def settings(kind: str, *, off: bool = False) -> Settings:
    def roles(usual: Roles) -> Roles:
        return read_off(usual) if off else usual

    match kind:
        case "classifier" | "network":
            test = test_own_rows if kind == "classifier" else test_own_network
            table = test_own_rows.table_of(test_own_rows.customers())
            return test.settings_of(own_rows.choose(table, roles(test_own_rows.ROLES)))
        case "regression":
            frame = test_own_numbers.salaries()
            return test_own_numbers.settings_of(test_own_numbers.choose(frame, roles(test_own_numbers.ROLES)))
        case "transfer":
            frame = test_own_sources.salaries()
            return test_own_sources.settings_of(test_own_sources.choose(frame, roles(test_own_sources.ROLES)))
        case "parties":
            frame = test_own_parties.patients()
            return test_own_parties.settings_of(test_own_parties.own_of(frame, roles(test_own_parties.ROLES)))
    raise ValueError(kind)


KINDS = ("classifier", "network", "regression", "transfer", "parties")
# How the persons of these files are called.
PERSONS = ("C00012", "E00012", "ward 12", "P000012")
