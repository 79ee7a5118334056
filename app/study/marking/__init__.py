"""What a learner may say to a card before its answer is shown, and what becomes of it: marks, never grades.

>>> fields(sheet)                        # what may be filled in
>>> mark(sheet, {"answer": "43 GB"})     # what it is worth

All of it is pure. A mark names what was said, whether it is right, and where it differs; the grade stays the learner's.
"""

from app.study.marking.asking import fields
from app.study.marking.judging import mark
from app.study.marking.sheet import Field, Run, Said, Sheet
from app.study.marking.verdicts import Mark

__all__ = ["Field", "Mark", "Run", "Said", "Sheet", "fields", "mark"]
