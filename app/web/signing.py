"""Signed notes that travel through the browser: a showing (this card was shown), a ticket (it was revealed).

Signed, not secret: who holds one can read it, nobody can make one.
"""

from itsdangerous import BadSignature, URLSafeSerializer


class NotOurs(ValueError):
    """The text was not signed here, or not for this purpose."""


class Signer:
    def __init__(self, secret: str) -> None:
        self._secret = secret

    def sign(self, purpose: str, value: dict[str, object]) -> str:
        return str(URLSafeSerializer(self._secret, salt=purpose).dumps(value))

    def open(self, purpose: str, text: str) -> dict[str, object]:
        """What was signed for `purpose`; raises NotOurs for anything else."""
        try:
            value = URLSafeSerializer(self._secret, salt=purpose).loads(text)
        except BadSignature:
            raise NotOurs(purpose) from None
        if not isinstance(value, dict):
            raise NotOurs(purpose)
        return value
