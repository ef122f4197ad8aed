"""Which names a definition uses, and when."""

import pytest

from autograde.workspace.names import names_in


@pytest.mark.parametrize(
    ("text", "at_once", "later", "in_annotations"),
    [
        ("def f(x=A): return B(x)", ("A",), ("B",), ()),
        (
            "@D\nclass F(G):\n    a = H\n    def m(self): return self.a + I",
            ("D", "G", "H"),
            ("I",),
            (),
        ),
        ("def f(x: A, *y: B, **z: C) -> D:\n    w: E = F", (), ("F",), ("A", "B", "C", "D", "E")),
        ("def f(x):\n    def g(): return x + A\n    return [B for y in g()]", (), ("A", "B"), ()),
        ("f = lambda x, y=A: B", ("A",), ("B",), ()),
        ("class F:\n    a = [A for b in B]\n    c: D = 1", ("A", "B"), (), ("D",)),
        ("def f():\n    global a\n    a = a + 1", (), ("a",), ()),
    ],
)
def test_names_and_when_they_are_needed(
    text: str, at_once: tuple[str], later: tuple[str], in_annotations: tuple[str]
) -> None:
    names = names_in(text)
    assert (names.at_once, names.later) == (at_once, later)
    assert names.in_annotations == in_annotations
