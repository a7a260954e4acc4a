"""What the makers of a figure's extra things know of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from deadground.geometry.errors import SceneError
from deadground.scenes.model import Model
from deadground.scenes.rulings.verdict import Report, Verdict
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.palette import DEFAULT, Palette
from deadground.viewer.things import Thing

__all__ = ["Maker", "Setting"]


@dataclass(frozen=True, slots=True)
class Setting:
    """A figure and what is known of it.

    verdicts : one for each line that is drawn; show : what the figure shows
    models : those that stand on the ground that is drawn; all of the scene's before it is known
    patch : (low x, low y, high x, high y) of that ground, None before it is known
    """

    scene: Scene
    report: Report
    figure: Figure
    verdicts: tuple[Verdict, ...] = ()
    show: frozenset[str] = frozenset()
    palette: Palette = DEFAULT
    models: tuple[Model, ...] = ()
    patch: tuple[float, float, float, float] | None = None

    def shows(self, what: str) -> bool:
        """Whether the figure asks for it."""
        return what in self.show

    def wrong(self, key: str, problem: str) -> SceneError:
        """The error that names the figure and its key."""
        return SceneError(str(self.scene.source or "scene"), f"figure {self.figure.name}: {key}", problem)


Maker = Callable[[Setting], Iterator[Thing]]
"""Makes the things of one key. SceneError for what cannot be drawn."""
