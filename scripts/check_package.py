"""Build the package of the engine, and try it in a new environment outside of the checkout.

    make package

The source distribution and the wheel go into `dist/`. The new environment then has the wheel and
pytest alone. There `dpcore` is imported, `DPLogisticRegression` is fitted, and all doctests of the
package run. Needs a package index.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PIP_INSTALL = ("-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check")
TYPED = "dpcore/py.typed"

# Runs in the new environment. Two classes, one feature within the public bound.
FIT = """
import numpy as np

import dpcore
from dpcore.estimators.logistic import DPLogisticRegression

assert "site-packages" in dpcore.__file__, dpcore.__file__
rng = np.random.default_rng(0)
y = rng.integers(0, 2, 2000)
X = np.clip(rng.normal(np.where(y == 1, 0.4, -0.4), 0.3), -1, 1).reshape(-1, 1)
model = DPLogisticRegression(epsilon=1.0, data_norm=1.0, classes=[0, 1], random_state=1)
accuracy = model.fit(X, y).score(X, y)
assert accuracy > 0.85, accuracy
print(f"dpcore {dpcore.__version__}: accuracy {accuracy:.2f}, {model.guarantee_}")
"""


def new_environment(folder: Path) -> str:
    """Make a virtual environment, and return the path of its Python."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    scripts = "bin"
    if sys.platform == "win32":
        scripts = "Scripts"
    return str(folder / scripts / "python")


def build(python: str, folder: Path) -> Path:
    """Build both distributions into ``folder``, and return the wheel."""
    for old in folder.glob("epsilon_lab-*"):
        old.unlink()
    subprocess.run([python, *PIP_INSTALL, "build"], check=True)
    command = [python, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    return wheel


def check_content(wheel: Path) -> None:
    """Raise ValueError unless the wheel is typed and holds nothing but the engine."""
    names = zipfile.ZipFile(wheel).namelist()
    if TYPED not in names:
        raise ValueError(f"{wheel.name} has no {TYPED}")
    others = [name for name in names if not name.startswith(("dpcore/", "epsilon_lab-"))]
    if others:
        raise ValueError(f"{wheel.name} holds {', '.join(others)}")


def try_out(python: str, wheel: Path, folder: Path) -> None:
    """Install the wheel, fit a model and run the doctests, from a folder without the checkout."""
    subprocess.run([python, *PIP_INSTALL, str(wheel), "pytest"], check=True)
    subprocess.run([python, "-c", FIT], cwd=folder, check=True)
    doctests = ["--doctest-modules", "--pyargs", "dpcore", "-q", "-p", "no:cacheprovider"]
    flags = ["-o", "doctest_optionflags=NORMALIZE_WHITESPACE NUMBER"]
    subprocess.run([python, "-m", "pytest", *doctests, *flags], cwd=folder, check=True)


def main() -> None:
    """Build, check and try the package."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = build(new_environment(folder / "build"), ROOT / "dist")
        check_content(wheel)
        empty = folder / "empty"
        empty.mkdir()
        try_out(new_environment(folder / "try"), wheel, empty)
        print(f"{wheel.relative_to(ROOT)} works in a new environment")


if __name__ == "__main__":
    main()
