"""What a program does with elmo_mini and its base dependencies alone: no Jupyter, no nbgrader.

Run as a script, in a Python that has nothing else (`tests/test_wheel.py`), or with a file that
lists the modules to hide, as if they were not installed (`tests/elmo_mini/test_extras.py`).
"""

import importlib
import pkgutil
import sys
from pathlib import Path

# The rooms and modules that need the extra [experiments]; everything else must do without.
NEED_EXPERIMENTS = (
    "elmo_mini.commands.probe",
    "elmo_mini.probing.classifiers",
    "elmo_mini.probing.probe",
)
NEVER = ("IPython", "gensim", "jupyterlab", "matplotlib", "nbgrader", "nltk", "sklearn")


def every_module_works_or_names_the_extra() -> None:
    import elmo_mini
    from elmo_mini.extras import ExtraMissing

    for found in pkgutil.walk_packages(elmo_mini.__path__, "elmo_mini.", onerror=lambda _: None):
        if found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except ExtraMissing as error:
            said = str(error)
        else:
            continue
        assert found.name.startswith(NEED_EXPERIMENTS), f"{found.name}: {said}"
        assert "[experiments]" in said


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
        (lambda: importlib.import_module("elmo_mini").probe, "experiments"),
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
    every_module_works_or_names_the_extra()
    a_classifier_learns_on_top_of_the_course_checkpoint()
    what_needs_an_extra_says_so_in_a_sentence()
    assert [name for name in NEVER if sys.modules.get(name)] == []
    print("The base is enough.")
