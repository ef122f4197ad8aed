"""Numbers, words and paths on a command line: types for argparse, one sentence for the rest."""

import argparse
import math
import os
from collections.abc import Callable
from pathlib import Path

from elmo_mini.errors import ConfigurationError
from elmo_mini.files import as_path


def whole_number(low: int, high: int | None = None) -> Callable[[str], int]:
    """Whole numbers from `low`, up to and including `high`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = low - 1
        if number < low or (high is not None and number > high):
            limits = f"of at least {low}" if high is None else f"from {low} to {high}"
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number {limits}")
        return number

    return read


def number(limits: str, fits: Callable[[float], bool]) -> Callable[[str], float]:
    """Finite numbers that fit; `limits` says it in words, behind "is not a number"."""

    def read(text: str) -> float:
        try:
            number = float(text)
        except ValueError:
            number = math.nan
        if not (math.isfinite(number) and fits(number)):
            raise argparse.ArgumentTypeError(f"{text!r} is not a number {limits}")
        return number

    return read


def typed(text: str) -> str:
    """Words as they were typed, in UTF-8, where Python took them for bytes of no locale."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        try:
            return os.fsencode(text).decode()
        except UnicodeDecodeError as wrong:
            raise argparse.ArgumentTypeError(f"{text!r} is no UTF-8 text") from wrong


def path(text: str) -> Path:
    """As `as_path`."""
    try:
        return as_path(text)
    except ConfigurationError as wrong:
        raise argparse.ArgumentTypeError(str(wrong)) from wrong


positive_int = whole_number(1)
non_negative_int = whole_number(0)
random_seed = whole_number(0, 2**32 - 1)  # what numpy and scikit-learn take
positive_float = number("above 0 and up to 1e30", lambda x: 0 < x <= 1e30)  # float32 holds it
non_negative_float = number("of at least 0 and up to 1e30", lambda x: 0 <= x <= 1e30)
held_out_share = number("above 0 and up to 0.5", lambda x: 0 < x <= 0.5)
dropout_rate = number("from 0 to below 1", lambda x: 0 <= x < 1)
