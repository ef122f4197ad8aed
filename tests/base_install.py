"""What a program does with elmo_mini and its base dependencies alone: no Jupyter, no nbgrader.

Run as a script, in a Python that has nothing else (`tests/test_wheel.py`), or with a file that
lists the modules to hide, as if they were not installed (`tests/elmo_mini/test_extras.py`).
"""

import importlib
import inspect
import pickle
import pkgutil
import pydoc
import sys
from pathlib import Path

NEVER = ("IPython", "gensim", "jupyterlab", "matplotlib", "nbgrader", "nltk", "sklearn")


def every_module_can_be_imported_and_looked_through() -> None:
    import elmo_mini

    for found in pkgutil.walk_packages(elmo_mini.__path__, "elmo_mini.", onerror=lambda _: None):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    everything: dict[str, object] = {}
    exec("from elmo_mini import *", everything)
    members = dict(inspect.getmembers(elmo_mini))
    for name in elmo_mini.__all__:
        assert everything[name] is members[name] is getattr(elmo_mini, name), name
        assert name in dir(elmo_mini)
        assert pickle.loads(pickle.dumps(members[name])) == members[name], name
    assert "probe" in pydoc.plain(pydoc.render_doc(elmo_mini))


def a_classifier_learns_on_top_of_the_course_checkpoint() -> None:
    """Which of two senses has "play" here? Two sentences of each, a linear layer on ELMo."""
    import torch

    from elmo_mini import Elmo, ElmoEmbedder, batch_to_ids, load_pretrained

    module = load_pretrained()
    layers = ElmoEmbedder(module=module).embed_sentence(["She", "plays", "the", "violin", "."])
    assert layers.shape == (3, 5, 512), layers.shape

    text = (
        "They play football here .|We play cards today .|The play had three acts .|A play by him ."
    )
    sentences = [sentence.split() for sentence in text.split("|")]
    labels = torch.tensor([0, 0, 1, 1])
    torch.manual_seed(0)
    elmo = Elmo(None, None, 1, module=module)
    classifier = torch.nn.Linear(elmo.get_output_dim(), 2)
    optimizer = torch.optim.Adam([*elmo.scalar_mixes.parameters(), *classifier.parameters()], 0.01)
    losses = []
    for _ in range(30):
        vectors = elmo(batch_to_ids(sentences))["elmo_representations"][0]
        loss = torch.nn.functional.cross_entropy(classifier(vectors[:, 1]), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < losses[0] / 4, losses


def what_needs_an_extra_says_so_in_a_sentence() -> None:
    from elmo_mini import corpora

    for action, extra in (
        (lambda: importlib.import_module("elmo_mini").probe(None, None), "experiments"),
        (lambda: corpora.load("lee"), "experiments"),
        (lambda: corpora.load("brown"), "experiments"),
        (lambda: importlib.import_module("autograde").check, "course"),
    ):
        try:
            action()
            said = "nothing"
        except (ImportError, LookupError) as error:
            said = str(error)
        assert f"[{extra}]" in said, said
        assert "\n" not in said


if __name__ == "__main__":
    if sys.argv[1:]:
        sys.modules.update(dict.fromkeys(Path(sys.argv[1]).read_text().split()))
    every_module_can_be_imported_and_looked_through()
    a_classifier_learns_on_top_of_the_course_checkpoint()
    what_needs_an_extra_says_so_in_a_sentence()
    assert [name for name in NEVER if sys.modules.get(name)] == []
    print("The base is enough.")
