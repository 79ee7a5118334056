"""The parts of a formula, joined as they are said: "times" where it is needed, a pause after brackets. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.library.spoken_signs import APPLIED, DOT, PRODUCT, SUMS, VECTORS


@dataclass(frozen=True, slots=True)
class Atom:
    """A part of a formula. An operand, unless it is a `name`, which takes in what follows, an operator or a bracket.

    `wordy`: beside another operand "times" is said between them. `long`: a pause comes before whatever follows it.
    `bare` is what a bracketed sum is called where nothing is done with it as a whole; a bracketed `product` is told
    from what it divides.
    """

    text: str
    kind: str = "operand"
    wordy: bool = False
    long: bool = False
    bare: str = ""
    product: bool = False


def grouped(atoms: list[Atom]) -> list[Atom]:
    """Brackets with what they hold become one operand."""
    done: list[list[Atom]] = [[]]
    opened: list[str] = []
    for atom in atoms:
        if atom.kind == "open":
            opened.append(atom.text)
            done.append([])
        elif atom.kind == "close":
            if opened:
                group = _group(opened.pop(), done.pop(), atom.text.strip(")"))
                done[-1].append(group)
        else:
            done[-1].append(atom)
    while opened:
        group = _group(opened.pop(), done.pop(), "")
        done[-1].append(group)
    return done[0]


def _group(opening: str, held: list[Atom], power: str) -> Atom:
    inner = joined(held)
    after = f", {power}" if power else ""
    long = len(held) > 1 or bool(power)
    if opening or not is_sum(held) or held[0].kind == "group":
        product = not opening and any(atom.text in (DOT, PRODUCT) for atom in held)
        return Atom(f"{opening} {inner}{after}".strip(), "group", wordy=True, long=long, product=product)
    return Atom(f"the quantity {inner}{after}", "group", wordy=True, long=long, bare=f"{inner}{after}")


def joined(atoms: Sequence[Atom]) -> str:
    """The parts in words, the operands between brackets already grouped."""
    said = ""
    for at, atom in enumerate(atoms):
        last = atoms[at - 1] if at else None
        alone = atom.bare and (len(atoms) == 1 or (last is not None and last.kind == "name"))
        if atom.text == DOT:
            said += _between(last, atom) + _product(last, atoms[at + 1 : at + 2])
        elif last is not None and atom.kind == "group" and " given " in atom.text:
            said += f" of {atom.text}"
        elif last is not None and last.text == "over" and atom.kind == "group" and atom.product:
            said += f" the product {atom.text}"
        elif last is not None and atom.kind == "group" and last.text in APPLIED:
            said = said.removesuffix(last.text) + APPLIED[last.text] + " " + (atom.bare or atom.text)
        else:
            said += _between(last, atom) + (atom.bare if alone else _told(atom, atoms[at + 1 : at + 2]))
    return said


def _between(last: Atom | None, atom: Atom) -> str:
    if last is None:
        return ""
    if atom.kind == "mark":
        return ""
    if last.kind in ("name", "operator", "mark"):
        return " "
    pause = "," if last.long else ""
    if atom.kind == "operator":
        return f"{pause} "
    loose = last.long or last.wordy or last.kind == "group" or atom.wordy or atom.kind in ("name", "group")
    return f"{pause} {PRODUCT} " if loose else " "


def _told(atom: Atom, after: Sequence[Atom]) -> str:
    """A cross is "by" in a shape, and a product before a power of ten."""
    return PRODUCT if atom.text == "by" and any(a.text.startswith("10 to the") for a in after) else atom.text


def _product(last: Atom | None, after: Sequence[Atom]) -> str:
    """ "dot" between vectors, by their letters; else "times"."""
    sides = [atom.text for atom in (last, *after) if atom is not None]
    vectors = len(sides) == 2 and not any(side[:1].isdigit() for side in sides)
    return "dot" if vectors and any(side.split(" ")[0] in VECTORS for side in sides) else PRODUCT


def is_sum(atoms: Sequence[Atom]) -> bool:
    """Whether something is added in them, so that as a whole they are "the quantity"."""
    return any(atom.kind == "operator" and atom.text in SUMS for atom in atoms[1:]) and not any(
        atom.kind == "mark" for atom in atoms
    )
