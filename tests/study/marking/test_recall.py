"""Code from memory: compared as text, line beside line, and no verdict on another way of writing it."""

from app.study.marking.recall import judged

CODE = """mask = torch.ones(n_q, n_kv, dtype=torch.bool).tril(n_kv - n_q)
scores = scores.masked_fill(~mask, float("-inf"))
"""


def test_spaces_quotes_and_a_fence_do_not_matter() -> None:
    said = "```python\n" + CODE.replace(" - ", "-").replace('"', "'").replace(", ", ",") + "\n\n```"
    found = judged("answer", "", said, CODE)
    assert (found.verdict, found.words) == ("right", "The same, line by line.")


def test_indentation_does() -> None:
    assert judged("answer", "", "if x:\ny()", "if x:\n    y()").verdict == "unmarked"


def test_lines_stand_beside_each_other() -> None:
    said = "import torch\n" + CODE.replace("tril(n_kv - n_q)", "tril()")
    found = judged("answer", "", said, CODE)
    assert found.verdict == "unmarked"
    assert "2 lines differ. Another way may be as good" in found.words
    assert {line.shape for line in found.lines} == {"same", "changed", "extra"}
    changed = next(line for line in found.lines if line.shape == "changed")
    assert ("tril()" in changed.said, "tril(n_kv - n_q)" in changed.right) == (True, True)
    assert [line.shape for line in found.lines] == ["extra", "changed", "same"]


def test_a_long_text_takes_no_time() -> None:
    said = "\n".join(f"a{n} = {n}" for n in range(300))
    assert len(judged("answer", "", said, CODE).lines) == 302


def test_nothing_is_lost_of_either_side() -> None:
    found = judged("answer", "", "a\nb\nc", "x\nb")
    assert [line.said for line in found.lines if line.said] == ["a", "b", "c"]
    assert [line.right for line in found.lines if line.right] == ["x", "b"]
