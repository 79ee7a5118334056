"""Aloud: study it, say it aloud, run it."""

__version__ = "0.1.0"
