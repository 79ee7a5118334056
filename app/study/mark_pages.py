"""What a learner puts on a card: bury, suspend, a flag, a note to self; by buttons of the study and the card's page."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from app.accounts.service import Current
from app.study import changes, sheets
from app.study.choosing import ByForm, Text
from app.study.marks import LONGEST_REMARK
from app.web.api import Its
from app.web.errors import Invalid
from app.web.templating import url_for

router = APIRouter()
Remark = Annotated[str, Form(max_length=2 * LONGEST_REMARK)]  # a form sends two characters for each new line
SignedForm = Annotated[str, Form(max_length=sheets.SIGNED)]
ACTS = ("bury", "unbury", "suspend", "unsuspend", "flag", "unflag", "note")


@router.post("/mark")
def mark(
    request: Request,
    its: Its,
    learner: Current,
    chosen: ByForm,
    card: Text = "",
    act: Text = "",
    remark: Remark = "",
    showing: SignedForm = "",
    page: Text = "",
) -> Response:
    """Change one mark, and go back: to the card's page, to the answer that is open (`showing`), or to the next card."""
    if act not in ACTS:
        raise Invalid(f"There is no button {act[:20]!r}; go back and use those of the page.")
    with its.db.write() as conn:
        changes.mark(
            conn,
            learner,
            its.clock(),
            card,
            buried={"bury": True, "unbury": False}.get(act),
            suspended={"suspend": True, "unsuspend": False}.get(act),
            flagged={"flag": True, "unflag": False}.get(act),
            remark=remark if act == "note" else None,
        )
    url = url_for(request)
    if page == "card":
        return RedirectResponse(url(f"cards/{card}"), 303)
    if showing and act in ("note", "flag", "unflag"):
        return RedirectResponse(url("study/reveal", showing=showing, **chosen.query()), 303)
    return RedirectResponse(url("study", **chosen.query()), 303)


@router.get("/mark")
def back(request: Request) -> Response:
    """A reload of a refused change's page leads to the card that is due now."""
    return RedirectResponse(url_for(request)("study"), 303)
