"""Exercise ids of earlier releases and their present ones, for answers that learners have kept."""

NEW_ID = {"only_back": "causal_mask", "train_desk": "train_mix"}
"""Old id to new; notebooks, results of checks and kept parts of earlier releases have the old."""


def present_id(exercise_id: str) -> str:
    """What an exercise is called now."""
    return NEW_ID.get(exercise_id, exercise_id)


def every_id(exercise_id: str) -> list[str]:
    """The present id, and those that the exercise had before."""
    return [exercise_id, *(old for old, new in NEW_ID.items() if new == exercise_id)]
