"""JSON numbers that neither a float nor a printable integer can hold, kept exactly.

They are digits and an exponent, which are never written out: `1e1000000000000000000` has few digits.
"""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite
from typing import Any

import msgspec

_MAX_DIGITS = 4300  # Python's limit for converting text to an integer, and back
_MAX_INTEGER_BITS = 14_285  # every integer of that many digits has fewer or as many
_NUMBER = re.compile(r"([-+]?)([0-9]*)\.?([0-9]*)(?:[eE]([-+]?[0-9]+))?")
_MAX_SHIFT = 100_000  # digits, after which a smaller number does not matter beside a larger one


class LargeNumber:
    """A number: `digits` times ten to the power of `exponent`; the digits end in no zero."""

    __slots__ = ("digits", "exponent", "is_negative")

    def __init__(self, digits: str, exponent: int, *, is_negative: bool) -> None:
        stripped = digits.rstrip("0")
        self.digits = stripped.lstrip("0")
        self.exponent = exponent + len(digits) - len(stripped)
        self.is_negative = is_negative

    def is_integer(self) -> bool:
        """Whether the number is whole."""
        return self.exponent >= 0

    def __repr__(self) -> str:
        sign = "-" if self.is_negative else ""
        return f"{sign}{self.digits}" + (
            f"e{_integer_text(self.exponent)}" if self.exponent else ""
        )

    def __hash__(self) -> int:
        return hash((self.is_negative, self.digits, self.exponent))

    def __eq__(self, other: object) -> bool:
        number = as_large(other)
        if number is None:
            return NotImplemented
        return self.order == number.order

    def __lt__(self, other: float | LargeNumber) -> bool:
        return self._compared(other) < 0

    def __le__(self, other: float | LargeNumber) -> bool:
        return self._compared(other) <= 0

    def __gt__(self, other: float | LargeNumber) -> bool:
        return self._compared(other) > 0

    def __ge__(self, other: float | LargeNumber) -> bool:
        return self._compared(other) >= 0

    @property
    def magnitude(self) -> int:
        """The position of the first digit: the number is below ten to the power of it."""
        return len(self.digits) + self.exponent

    def scaled_ratio(self, shift: int) -> tuple[int, int]:
        """The number divided by ten to the power of `shift`; 0 if it is too small to matter."""
        power = self.exponent - shift
        if self.magnitude - shift < -_MAX_SHIFT:
            return 0, 1
        digits = int(Decimal(self.digits or "0")) * (-1 if self.is_negative else 1)
        return (digits * 10**power, 1) if power > 0 else (digits, 10**-power)

    def _compared(self, other: float | LargeNumber) -> float:
        """Below, at or above zero, as this number is to the other; NaN for NaN."""
        number = as_large(other)
        if number is None:
            return -float(other)  # type: ignore[arg-type]  # NaN, or an infinity
        if self.is_negative != number.is_negative:
            return -1 if self.is_negative else 1
        left, right = self.order[1:], number.order[1:]
        return ((left > right) - (left < right)) * (-1 if self.is_negative else 1)

    @property
    def order(self) -> tuple[bool, bool, int, str]:
        """Equal numbers have the same; of numbers of one sign, the larger has the larger one."""
        # The position of the first digit decides, then the digits: none of them ends in zeros.
        return self.is_negative, bool(self.digits), self.magnitude, self.digits


def as_large(value: object) -> LargeNumber | None:
    """A number as digits and an exponent; None for NaN, infinities and what is not a number."""
    if isinstance(value, LargeNumber):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not isfinite(value):
        return None
    sign, digits, exponent = Decimal(value).as_tuple()
    assert isinstance(exponent, int)  # noqa: S101  (it is text only for NaN and infinities)
    return LargeNumber("".join(map(str, digits)), exponent, is_negative=bool(sign))


def number_from_text(text: str) -> int | float | LargeNumber:
    """The number of a JSON text, also with a plus sign, or a point at an end, as in YAML.

    It is the nearest float if it has a point or an exponent, unless it is too large for one.
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise ValueError("not a number")
    sign, whole, fraction, power = found.groups()
    if power is None and "." not in text:
        whole = whole.lstrip("0") or "0"
        if len(whole) <= _MAX_DIGITS:
            return int(f"{sign}{whole}")
    elif isfinite(value := float(text)):
        return value
    exponent = 0 if power is None else _integer(power)
    large = LargeNumber(whole + fraction, exponent - len(fraction), is_negative=sign == "-")
    if large.is_integer() and len(large.digits) + large.exponent <= _MAX_DIGITS:
        return int(f"{'-' if large.is_negative else ''}{large.digits}{'0' * large.exponent}")
    return large


def large_integer(value: int) -> int | LargeNumber:
    """An integer, as a `LargeNumber` if Python cannot print it."""
    large = as_large(value) if value.bit_length() > _MAX_INTEGER_BITS else None
    return value if large is None else large


def _integer(text: str) -> int:
    return int(text) if len(text) <= _MAX_DIGITS else int(Decimal(text))


def _integer_text(value: int) -> str:
    return str(value) if value.bit_length() < _MAX_INTEGER_BITS else format(Decimal(value), "f")


def decode_json(text: str | bytes) -> Any:
    """The value of a JSON text, with numbers of any size.

    Raises:
        ValueError, RecursionError: as `msgspec.json.decode`.
    """
    try:
        return msgspec.json.decode(text)
    except msgspec.ValidationError:  # without a type, only of a number out of range
        return _decode_with_large_numbers(text)


def _decode_with_large_numbers(text: str | bytes) -> Any:
    from json import JSONDecoder  # noqa: TID251  (it leaves numbers to others)

    decoder = JSONDecoder(
        parse_int=number_from_text, parse_float=number_from_text, parse_constant=_reject
    )
    return decoder.decode(text if isinstance(text, str) else text.decode())


def encode_large(value: Any) -> msgspec.Raw:
    """The hook of an encoder that writes large numbers as they are.

    Raises:
        TypeError: it is something else that is not JSON.
    """
    if not isinstance(value, LargeNumber):
        raise TypeError(f"Encoding objects of type {type(value).__qualname__} is unsupported")
    return msgspec.Raw(repr(value).encode())


def _reject(constant: str) -> Any:
    raise ValueError(f"{constant} is not a JSON number")
