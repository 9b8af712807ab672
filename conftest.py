"""Record which texts are read, from before the first page is imported."""

from tests import reached

reached.record()
