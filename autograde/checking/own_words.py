"""What some errors of libraries mean, said for the learner; the rest is shown as it is."""

IN_PLACE = (
    "Your function changes a tensor in place that a gradient is wanted for, an argument or a "
    "parameter{line}: `x += y` and `x[...] = y` write into it. Make a new one, as `x = x + y` does."
)
NO_ROOM = (
    "Your function asked for more memory than there is{line}. Look at the shapes there: a result "
    "of such a size is not what is asked for."
)


def own_words(error: BaseException, line: str) -> str:
    """The sentence for an error that is known; "" for another. ``line`` says where, in brackets."""
    text = str(error) if type(error) in (RuntimeError, MemoryError) else ""
    if "leaf Variable that requires grad" in text and "in-place operation" in text:
        return IN_PLACE.format(line=line)
    if isinstance(error, MemoryError) or "can't allocate memory" in text:
        return NO_ROOM.format(line=line)
    return ""
