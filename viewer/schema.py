"""`deadground schema`: JSON schemas, for editors and for programs."""

from __future__ import annotations

import json
import sys
from typing import Annotated

from cyclopts import Parameter

from deadground.scenes.document import schema as scene_schema
from deadground.viewer.inspection_json import inspection_schema
from deadground.viewer.report_schema import report_schema

__all__ = ["schema"]


def schema(
    *,
    report: Annotated[
        bool, Parameter(negative="", show_default=False, help="The schema of `check --json` instead.")
    ] = False,
    inspect: Annotated[
        bool, Parameter(negative="", show_default=False, help="The schema of `inspect --json` instead.")
    ] = False,
) -> None:
    """Print the JSON schema of scene files."""
    chosen = report_schema if report else inspection_schema if inspect else scene_schema
    sys.stdout.write(json.dumps(chosen(), indent=2) + "\n")
