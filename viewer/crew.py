"""Many terrain pieces looked at side by side, a process for each core. One that goes wrong does not stop the others."""

from __future__ import annotations

import copyreg
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from deadground.geometry.errors import MeshError
from deadground.viewer.looked import Asked, Looked, for_several, look, look_whole
from deadground.viewer.piece_page import Allowance, Chapter, chapter

__all__ = ["Job", "Result", "look_at_all"]

FEW: Final = 6
"""So many files are looked at in this process: starting others takes a second or two."""
MOST: Final = 60
"""Processes at once; Windows cannot wait for more."""
THREADS: Final = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What tells libraries of arithmetic how many threads to take."""
LARGE: Final = 40_000_000
"""Bytes of a file that is looked at alone: two of a million triangles at once might not find memory."""


def _frozen(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(values)


def _thawed(frozen: MappingProxyType[Any, Any]) -> tuple[Any, tuple[dict[Any, Any]]]:
    return _frozen, (dict(frozen),)


copyreg.pickle(MappingProxyType, _thawed)  # read-only mappings travel between processes as the plain ones in them


@dataclass(frozen=True, slots=True)
class Job:
    """A file to look at. key : of its chapter on a page; given : how much of it that may fill, None for no page."""

    file: Path
    asked: Asked
    key: str
    given: Allowance | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What was found. chapter : None if no page was asked for; error : one line if the file could not be read."""

    looked: Looked
    chapter: Chapter | None = None
    error: str = ""


def look_at_all(jobs: Sequence[Job]) -> Iterator[tuple[int, Result]]:
    """Each job's place and result, as they are done."""
    small = [number for number, job in enumerate(jobs) if _size(job.file) <= LARGE]
    hands = min(os.cpu_count() or 1, len(small), MOST)
    if len(small) <= FEW or hands < 2:
        yield from ((number, _done(job)) for number, job in enumerate(jobs))
        return
    left = set(range(len(jobs)))
    for number, result in _side_by_side(jobs, small, hands):
        left.discard(number)
        yield number, result
    for number in sorted(left):  # large ones, and those that were under way when a process ended
        yield number, _done(jobs[number]) if number not in small else _alone(jobs[number])


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _side_by_side(jobs: Sequence[Job], numbers: Sequence[int], hands: int) -> Iterator[tuple[int, Result]]:
    """Results of those that were finished; if a process ends by itself, nothing is heard of what was under way."""
    with _pool(hands) as pool:
        asked: dict[Future[Result], int] = {pool.submit(_done, jobs[number]): number for number in numbers}
        try:
            for future in as_completed(asked):
                fault = future.exception()
                if fault is None:
                    yield asked[future], future.result()
                elif not isinstance(fault, BrokenProcessPool):
                    yield asked[future], _failed(jobs[asked[future]], _wrong(fault))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _pool(hands: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that keep to one thread of arithmetic each: more would wait for each other, and wait busily."""
    own = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys((name for name, value in own.items() if value is None), "1"))
    try:
        with ProcessPoolExecutor(hands, mp_context=multiprocessing.get_context("spawn")) as pool:
            yield pool
    finally:
        for name in (name for name, value in own.items() if value is None):
            os.environ.pop(name, None)


def _alone(job: Job) -> Result:
    """The same in a process of its own, which may end without taking this one along."""
    with _pool(1) as pool:
        try:
            return pool.submit(_done, job).result()
        except BrokenProcessPool:
            return _failed(job, "looking at it ended the process, perhaps for lack of memory")
        except Exception as error:  # noqa: BLE001  (as in `_done`)
            return _failed(job, _wrong(error))


def _done(job: Job) -> Result:
    """Look at one file, whatever happens."""
    try:
        asked = for_several(job.file, job.asked)
        if job.given is None:
            return Result(look(job.file, asked))
        looked, mesh = look_whole(job.file, asked)
        return Result(looked, chapter(looked, mesh, job.key, job.given))
    except MeshError as error:
        problem = ": ".join(part for part in (error.key, error.problem) if part)
        return _failed(job, problem, str(error))
    except MemoryError:
        return _failed(job, "there is too little memory to look at it")
    except Exception as error:  # noqa: BLE001  (a fault of ours with one piece is no reason to lose the other fifty)
        return _failed(job, _wrong(error))


def _wrong(fault: BaseException) -> str:
    return f"looking at it went wrong ({type(fault).__name__}): please report this"


def _failed(job: Job, problem: str, error: str = "") -> Result:
    looked = Looked(str(job.file), problem=problem)
    made = None if job.given is None else chapter(looked, None, job.key, job.given)
    return Result(looked, made, error or f"{job.file}: {problem}")
