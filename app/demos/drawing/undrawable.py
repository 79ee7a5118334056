"""What no drawing can show. The data has its types, yet makes no sense."""


class Undrawable(ValueError):
    """The message says of a block, in words that follow its name, what is wrong with it."""
