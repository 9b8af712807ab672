"""Sessions of visitors on the page of lessons."""

from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

# The guess of a lesson that asks for a number.
GUESS = 60.0


def press(app: AppTest, label: str) -> None:
    """Press a button. If it waits for a number, that is guessed first."""
    button = button_of(app, label)
    if button.disabled:
        app.number_input[0].set_value(GUESS).run()
        button = button_of(app, label)
    button.click().run()
    assert not app.exception


def button_of(app: AppTest, label: str):
    """Return the only button with a label."""
    (button,) = [button for button in app.button if button.label == label]
    return button


def send(app: AppTest, value: float) -> None:
    """Send a number to the class."""
    app.number_input[0].set_value(value).run()
    press(app, "Send my guess")


def labels(app: AppTest) -> list[str]:
    """Return the labels of all buttons."""
    return [button.label for button in app.button]


def captions(app: AppTest) -> list[str]:
    """Return the texts of all captions."""
    return [caption.value for caption in app.caption]


def query_of_page_link(app: AppTest) -> dict[str, str]:
    """Return the query of the link to the page that a lesson is about."""
    links = [link.proto for link in app.get("page_link")]
    (page_link,) = [link for link in links if "Open the page" in link.label]
    return dict(parse_qsl(page_link.query_string))
