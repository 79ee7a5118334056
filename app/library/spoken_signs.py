"""What the signs of formulas are called when they are said. Pure data."""

from collections.abc import Mapping

PRODUCT, DOT = "times", "⋅"
VECTORS = frozenset({"q", "k", "v", "x", "O", "V"})  # letters between which that dot is said as one
SUMS = frozenset({"plus", "minus", "plus or minus"})

OPERATORS: Mapping[str, str] = {
    ",": ",",
    ";": ";",
    ":": "to",
    "+": "plus",
    "-": "minus",
    "−": "minus",
    "±": "plus or minus",
    "⋅": DOT,
    "·": PRODUCT,
    "∗": PRODUCT,
    "×": "by",
    "∘": "elementwise times",
    "⊙": "elementwise times",
    "⊗": "outer times",
    "/": "over",
    "=": "equals",
    "≠": "not equal to",
    "≈": ", about",
    "≡": "defined as",
    "∼": "drawn from",
    "∝": "proportional to",
    "<": "less than",
    ">": "greater than",
    "≤": "at most",
    "≥": "at least",
    "≪": "much less than",
    "≫": "much greater than",
    "→": "to",
    "↦": "maps to",
    "←": "becomes",
    "⇒": "implies",
    "⟹": "implies",
    "∈": "in",
    "∉": "not in",
    "⊂": "within",
    "⊆": "within",
    "∪": "or",
    "∩": "and",
    "∣": "given",
    "|": "given",
    "!": "factorial",
    "%": "percent",
}
OPENING: Mapping[str, str] = {"(": "", "[": "", "{": "", "⟨": "", "⌊": "the floor of", "⌈": "the ceiling of"}
CLOSING = frozenset(")]}⟩⌋⌉")
BARS: Mapping[str, str] = {"|": "the absolute value of", "‖": "the norm of", "∥": "the norm of"}

# Operators that take in what follows, and names below which stands over what they run.
BIG: Mapping[str, str] = {"∑": "the sum", "∏": "the product", "∫": "the integral"}
UNDER: Mapping[str, str] = {
    "max": "the max",
    "min": "the min",
    "argmax": "the argmax",
    "argmin": "the argmin",
    "lim": "the limit",
    "log": "log",
}
# Names that are said otherwise than written, once they are applied; and letters that bracketed things are given to.
NAMES: Mapping[str, str] = {
    "ln": "the natural log",
    "log": "the log",
    "exp": "exp",
    "max": "the max",
    "min": "the min",
    "det": "the determinant",
    "Var": "the variance",
}
APPLIED: Mapping[str, str] = {
    "O": "order",
    "f": "f of",
    "g": "g of",
    "theta": "theta of",
    "sigma": "sigma of",
    "phi": "phi of",
    "the expectation": "the expectation of",
}

WORDS: Mapping[str, str] = {
    "∞": "infinity",
    "⊤": "transposed",
    "′": "prime",
    "″": "double prime",
    "∗": "star",
    "*": "star",
    "†": "dagger",
    "∅": "the empty set",
    "%": "percent",
    "NaN": "nan",
    "lse": "l s e",
    "LSE": "capital L S E",
}
# What takes in the next thing, as a name does.
PREFIXES: Mapping[str, str] = {
    "∂": "partial",
    ".": "and so on to",
    "…": "and so on to",
    "⋯": "and so on to",
    "⋮": "and so on to",
    "∀": "for all",
    "∃": "there is",
    "¬": "not",
}
WORDY: Mapping[str, str] = {"𝟏": "the ones vector", "𝔼": "the expectation", "∇": "the gradient"}
LETTERS: Mapping[str, str] = {"ℓ": "ell", "l": "l"}
ACCENTS: Mapping[str, str] = {
    "ˆ": "hat",
    "^": "hat",
    "¯": "bar",
    "‾": "bar",
    "˜": "tilde",
    "~": "tilde",
    "→": "vector",
}

POWERS: Mapping[str, str] = {
    "2": "squared",
    "3": "cubed",
    "minus 1": "inverse",
    "transposed": "transposed",
    "minus transposed": "inverse transposed",
    "prime": "prime",
    "double prime": "double prime",
    "star": "star",
    "times": "star",
    "dagger": "dagger",
}
FRACTIONS: Mapping[tuple[str, str], str] = {
    ("1", "2"): "one half",
    ("1", "3"): "one third",
    ("2", "3"): "two thirds",
    ("1", "4"): "one quarter",
    ("3", "4"): "three quarters",
    ("1", "8"): "one eighth",
}
