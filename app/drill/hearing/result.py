"""What a worker hands in of a recording, checked before it is kept, so that every one can be shown. Pure."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, ValidationError

from app.jobs.kinds import OTHER_CODE, BadOutput, text
from app.jobs.port import Output

LONGEST_MS = 3 * 3600 * 1000

Ms = Annotated[int, Field(ge=0, le=LONGEST_MS)]
Loud = Annotated[int, Field(ge=0, le=100)]


class Heard(BaseModel):
    """`words` as [start, end, text], with null for times that nobody told; `peaks` at equal steps."""

    ms: Ms
    peaks: Annotated[list[Loud], Field(max_length=4000)]
    speech: Annotated[list[tuple[Ms, Ms]], Field(max_length=20_000)]
    words: Annotated[
        list[tuple[Ms | None, Ms | None, Annotated[str, Field(max_length=200_000)]]], Field(max_length=60_000)
    ]
    provider: Literal["embedded", "endpoint"]
    model: Annotated[str, Field(max_length=300)]


def read(result: Mapping[str, object]) -> Output:
    """The result as text to keep. Raises BadOutput."""
    text(result)  # refuses what is no plain JSON
    try:
        heard = Heard.model_validate(result)
    except ValidationError as error:
        where = ".".join(map(str, error.errors()[0]["loc"]))
        raise BadOutput(f"{OTHER_CODE} What it heard does not fit: {where}.") from None
    return Output(heard.model_dump_json(), heard.model, "")


def body(output: Output) -> dict[str, Any]:
    return Heard.model_validate_json(output.body).model_dump(mode="json")
