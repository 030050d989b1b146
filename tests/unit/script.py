# SPDX-License-Identifier: BSD-2-Clause
"""Scripts as modules: their names have no suffix by which Python would find them."""
import importlib.machinery
import importlib.util
import pathlib

TREE = pathlib.Path(__file__).resolve().parents[2]


def load(path):
    """The script at that path in the tree, executed anew each time."""
    loader = importlib.machinery.SourceFileLoader(path.replace("/", "_"), str(TREE / path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
