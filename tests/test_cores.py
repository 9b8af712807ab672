"""The linear algebra has one thread, and nobody's session is held for having asked."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dpcore import cores

ROOT = Path(__file__).parents[1]

# A thread stands for a visitor's: Streamlit hangs the session on it.
VISITS = """
import gc, importlib, pkgutil, threading, weakref
import threadpoolctl

class Session: pass

def held_after(visit):
    thread = threading.Thread(target=visit)
    thread.session = Session()
    session = weakref.ref(thread.session)
    thread.start()
    thread.join()
    del thread
    gc.collect()
    return session() is not None

def first():
    import ui.compute

def second():
    import dpcore, lab, ui
    for package in (dpcore, lab, ui):
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)
    from dpcore import cores
    cores.for_each_part(lambda part: None, 8, work=1e12, at_once=2)
    from sklearn.linear_model import LogisticRegression
    LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])

print(held_after(first), held_after(second), *{pool["num_threads"] for pool in threadpoolctl.threadpool_info()
                                               if pool["user_api"] == "blas"})
"""


def test_a_visitor_s_thread_is_not_held_and_every_blas_has_one_thread():
    done = subprocess.run([sys.executable, "-c", VISITS], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "1"]


@pytest.mark.parametrize("work", [1.0, 1e12])
@pytest.mark.parametrize(("models", "at_once"), [(1, 5), (7, 2), (8, 100)])
def test_every_model_is_done_once(work: float, models: int, at_once: int):
    done, widths = np.zeros(models, dtype=int), []

    def job(part: slice) -> None:
        done[part] += 1
        widths.append(part.stop - part.start)

    cores.for_each_part(job, models, work=work, at_once=at_once)
    assert (done == 1).all()
    assert max(widths) <= at_once
