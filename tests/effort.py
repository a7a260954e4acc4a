"""How many of the random cases are tried: all of them take longer than a change should wait for."""

from __future__ import annotations

import os

__all__ = ["some"]


def some(seeds: range, every: int) -> range:
    """Every so many of the seeds; with DEADGROUND_THOROUGH=1 in the environment all of them."""
    return seeds if os.environ.get("DEADGROUND_THOROUGH") == "1" else seeds[::every]
