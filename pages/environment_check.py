"""Refuse to start with an environment variable that the lab cannot use."""

from collections.abc import Mapping

from ui.classroom import rooms
from ui.export import prerender
from ui.server import head_tags, security_headers, upload_limits

# Each raises ValueError, with the variable, its value and what is allowed.
READERS = (
    rooms.check_rooms_file,
    prerender.is_recorded,
    head_tags.address,
    security_headers.policy,
    upload_limits.limit_mb,
)


def refusal(environment: Mapping[str, str]) -> str:
    """Return why the server cannot start with these variables, in one line; "" if it can."""
    for read in READERS:
        try:
            read(environment)
        except ValueError as fault:
            return str(fault)
    return ""
