"""Answers that cost their own exercise, and files that nobody can read."""

# By kind: the text of a cell that defines ``{name}``.
COSTLY = {
    "an_answer_that_never_ends": "def {name}(*given, **named):\n    while True:\n        pass\n",
    "an_answer_that_ends_python": (
        "def {name}(*given, **named):\n    import os\n    os._exit(0)\n"
    ),
    "an_answer_that_asks_for_50_GiB": (
        "def {name}(*given, **named):\n    return bytearray(50 << 30)\n"
    ),
    "an_answer_that_is_no_Python": "def {name}(:\n    return\n",
}


def unreadable(right: bytes) -> dict[str, bytes]:
    """Files that hold no notebook that could be marked, made from one that does."""
    another = (
        b'{"cells": [{"cell_type": "code", "id": "a", "metadata": {}, "outputs": [], '
        b'"execution_count": null, "source": "print(1)"}], "metadata": {}, "nbformat": 4, '
        b'"nbformat_minor": 5}'
    )
    return {
        "an_empty_file": b"",
        "a_file_of_zero_bytes": b"\0" * 500,
        "merge_conflict_markers": right.replace(b'{"', b'{\n<<<<<<< HEAD\n"', 1),
        "a_file_that_was_cut_off": right[: len(right) // 2],
        "a_damaged_file": right.replace(b":", b";", 1),
        "a_web_page": b"<!DOCTYPE html><title>Log in</title>",
        "a_zip_archive": b"PK\x03\x04rest",
        "another_notebook": another,
    }
