"""Compare what privacy costs a minority and the majority."""
