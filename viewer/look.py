"""How figures are to look, as it is asked for on the command line: the same options for every command that draws."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Final

from cyclopts import Parameter

from deadground.geometry.errors import InputError
from deadground.scenes.scene import Figure, Scene
from deadground.viewer.judging import expected
from deadground.viewer.paper import Paper, paper_of
from deadground.viewer.themes import palette_for

__all__ = ["PLAIN_LOOK", "Look", "check_look", "paper_for", "seen_from"]

VIEWS: Final = ("perspective", "plan", "front", "side")


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Look:
    """How a figure is to look. None where the figure itself says."""

    view: Annotated[str | None, Parameter(help="perspective, plan, front or side, in place of its own.")] = None
    size: Annotated[str, Parameter(help="Pixels of a picture, WIDTHxHEIGHT.")] = "1600x1000"
    dpi: Annotated[int, Parameter(help="How many of them make an inch of paper.")] = 200
    theme: Annotated[
        str | None, Parameter(help="Colours: default, classic (green and red), dark, or a theme of the scene's own.")
    ] = None
    quality: Annotated[str, Parameter(help="normal, or high: with soft shadows, slower.")] = "normal"


PLAIN_LOOK: Final = Look()


def check_look(look: Look) -> Paper:
    """The paper that is asked for, still in the usual colours. InputError for what cannot be."""
    if look.view is not None and look.view not in VIEWS:
        raise InputError("--view", "", expected(VIEWS, look.view, "a view"))
    return paper_of(look.size, look.dpi, quality=look.quality)


def paper_for(look: Look, scene: Scene, figure: Figure) -> Paper:
    """The paper in the colours that the command line, else the figure asks for."""
    return replace(check_look(look), palette=palette_for(scene, look.theme or figure.theme))


def seen_from(look: Look, figure: Figure) -> Figure:
    """The figure in the view that the command line, if it does, asks for."""
    if look.view is None:
        return figure
    return replace(figure, view=look.view, camera_from=None, camera_to=None)
