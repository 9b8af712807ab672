"""Refuse to start with an environment variable that the lab cannot use."""

from collections.abc import Mapping

from ui import classroom, first_picture, head_tags, security_headers, uploads

# Each raises ValueError, with the variable, its value and what is allowed.
READERS = (
    classroom.check_rooms_file,
    first_picture.is_recorded,
    head_tags.address,
    security_headers.policy,
    uploads.limit_mb,
)


def refusal(environment: Mapping[str, str]) -> str:
    """Return in one line why the server cannot start with these variables, or ""."""
    for read in READERS:
        try:
            read(environment)
        except ValueError as fault:
            return str(fault)
    return ""
