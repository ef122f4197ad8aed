"""Exercise `start_from`: move in with the furniture."""

from copy import deepcopy

import torch
from torch import Tensor, nn

from autograde.checking.answers import Answer, Plain
from autograde.checking.exercise import Case, Exercise, Inputs, Mistake, Random
from autograde.checking.slips import slips
from autograde.exercises.starting_from_a_language_model import LESSON
from elmo_mini.models.lstm_language_model import LSTMLanguageModel
from elmo_mini.tasks import lstm_classifier
from elmo_mini.tasks.lstm_classifier import LSTMClassifier


@Case.drawn
def _sizes(
    rng: Random, words: int, classes: int, embedding: int, hidden: int, frozen: bool = False
) -> Inputs:
    return {
        "words": words,
        "classes": classes,
        "embedding": embedding,
        "hidden": hidden,
        "seed": int(rng.integers(1 << 30)),
        "the language model is frozen": frozen,
    }


def _whose(now: nn.Module, before: dict[str, Tensor], teacher: dict[str, Tensor]) -> dict[str, str]:
    """Where the weights of one part come from, in words, each under its own name."""
    weights = {name: value.detach() for name, value in now.named_parameters()}
    whose = {}
    for name, old in before.items():
        said = "something else"
        if name not in weights:
            said = "missing"
        elif name in teacher and torch.equal(weights[name], teacher[name]):
            said = "the language model's"
        elif torch.equal(weights[name], old):
            said = "as it was"
        whose[name] = said
    return whose


def _weights(module: nn.Module) -> dict[str, Tensor]:
    return {name: value.detach().clone() for name, value in module.named_parameters()}


def _run_start(answer: Answer, inputs: Inputs) -> Plain:
    """Start a classifier, then train it by one step: whose weights are where, and who moved?"""
    words, classes, embedding, hidden, seed, frozen = inputs.values()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LSTMLanguageModel(words, embedding, hidden).requires_grad_(not frozen)
        classifier = LSTMClassifier(words, classes, embedding, hidden)
        ids = torch.randint(words, (3, 4))
    parts = ("embedding", "lstm", "output")
    before = {part: _weights(getattr(classifier, part)) for part in parts}
    taught = {part: _weights(getattr(model, part)) for part in ("embedding", "lstm")}
    learnt = _weights(model)
    answer(classifier, model)
    found: dict[str, Plain] = {
        f"the classifier's {part}.{name}": said
        for part in parts
        for name, said in _whose(
            getattr(classifier, part), before[part], taught.get(part, {})
        ).items()
    }
    untouched = _same_weights(model, learnt)
    loss = classifier(ids, torch.tensor([4, 2, 3])).square().sum()
    if loss.requires_grad:
        loss.backward()
    moving = [value for value in classifier.parameters() if value.requires_grad]
    with torch.no_grad():
        for value in moving:
            value.sub_(0.1)
    found["the language model"] = "as it was" if untouched else "changed"
    found["the language model can learn"] = (
        "yes" if all(value.requires_grad for value in model.parameters()) else "no"
    )
    found["the language model after a training step of the classifier"] = (
        "as it was" if not untouched or _same_weights(model, learnt) else "moved with it"
    )
    found["parts of the classifier that can learn"] = sorted(
        part
        for part in parts
        if all(value.requires_grad for value in getattr(classifier, part).parameters())
    )
    return found


def _same_weights(module: nn.Module, weights: dict[str, Tensor]) -> bool:
    now = dict(module.named_parameters())
    return all(torch.equal(now[name].detach(), value) for name, value in weights.items())


def _by_parameter(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    with torch.no_grad():
        for part in ("embedding", "lstm"):
            theirs = getattr(model, part)
            for name, value in getattr(classifier, part).named_parameters():
                value.copy_(theirs.get_parameter(name))


def _by_part(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    classifier.embedding.load_state_dict(model.embedding.state_dict())
    classifier.lstm.load_state_dict(model.lstm.state_dict())


def _start_by_names(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    theirs = model.state_dict()
    ours = classifier.state_dict()
    ours.update({name: value for name, value in theirs.items() if name in ours})
    classifier.load_state_dict(ours)


def _start_from_new_parameters(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    classifier.embedding = nn.Embedding.from_pretrained(
        model.embedding.weight.detach().clone(), freeze=False
    )
    classifier.lstm.load_state_dict(model.lstm.state_dict())


def _deep_copies(classifier: LSTMClassifier, model: LSTMLanguageModel) -> None:
    classifier.embedding = deepcopy(model.embedding)
    classifier.lstm = deepcopy(model.lstm)


FROZEN = (
    "A copy of a frozen part is frozen: in your classifier it can never learn. Copy the numbers "
    "into the classifier's own parts: `load_state_dict`."
)
SLIPS = """
--- hint 1
only the embedding: ("embedding", "lstm") -> ("embedding",)
    Only the word vectors move in: that is what people did with word2vec. The LSTM, which has learnt
    to read, comes along as well.
only the LSTM: ("embedding", "lstm") -> ("lstm",)
    The LSTM is the language model's, but it meets word vectors that it has never seen. Copy the
    embedding too.
--- hint 2
nothing has moved in: value.copy_(theirs.get_parameter(name)) -> value = theirs.get_parameter(name)
    The classifier is what it was. If you wrote `classifier = …`, or gave a part a name of your own,
    only the name inside your function changed. Write into the parts that the classifier has.
added, not copied: copy_ -> add_
    You add the language model's numbers to the random ones. Put them in their place:
    `load_state_dict`, or `copy_`.
half an LSTM: value.copy_ -> if "_hh_" not in name: value.copy_
    Of the LSTM you copy the weights on its input, and not those on its own state (`weight_hh_l0`,
    `bias_hh_l0`): its memory is still random.
autograd watches: torch.no_grad() -> torch.enable_grad()
    PyTorch refuses to overwrite a weight that autograd watches. Copy under `with torch.no_grad():`,
    or use `load_state_dict`.
without the biases: value.copy_ -> if "bias" not in name: value.copy_
    Of the LSTM you copy the weights and not the biases (`bias_ih_l0`, `bias_hh_l0`). They belong to
    what it has learnt: `load_state_dict` takes all four.
without the weights on its own state: value.copy_ -> if "weight_hh" not in name: value.copy_
    Of the LSTM `weight_hh_l0` is missing, the weights on its own state: its memory is still random.
only the weights on the input: value.copy_ -> if name in ("weight", "weight_ih_l0"): value.copy_
    Of the LSTM you copy `weight_ih_l0` alone. Its weights on its own state and its biases belong to
    it: `load_state_dict` takes all four.
without the weights on the input: value.copy_ -> if "_ih_" not in name: value.copy_
    Of the LSTM you copy the weights on its own state, and not those on its input (`weight_ih_l0`,
    `bias_ih_l0`).
only the biases: value.copy_ -> if "weight_" not in name: value.copy_
    Of the LSTM you copy the biases alone. The weights, `weight_ih_l0` and `weight_hh_l0`, have
    learnt most.
--- hint 3
the wrong way round: value.copy_(theirs.get_parameter(name)) \
        -> theirs.get_parameter(name).copy_(value)
    You overwrite the language model with the classifier's random numbers. Copy from the language
    model into the classifier.
"""

SLIPS_OF_LOADING = """
--- hint 1
the output layer has changed: embedding.load_state_dict(model.embedding.state_dict()) \
        -> load_state_dict(model.state_dict(), strict=False) ⏎with torch.no_grad(): \
        classifier.output.weight[:] = model.softmax.weight[: len(classifier.output.weight)]; \
        classifier.output.bias[:] = model.softmax.bias[: len(classifier.output.bias)]
    Embedding and LSTM are right, and the output layer has changed too. The language model has
    nothing for it, classes are not words: leave it as it was.
--- hint 2
one model for both: classifier.embedding.load_state_dict(model.embedding.state_dict()) \
        -> classifier.embedding = model.embedding \
        && classifier.lstm.load_state_dict(model.lstm.state_dict()) -> classifier.lstm = model.lstm
    Classifier and language model now *share* their parts: training the one changes the other. Copy
    the numbers, do not hand over the object.
the {part} is shared, and the {other} is forgotten: \
        classifier.{shared}.load_state_dict(model.{shared}.state_dict()) \
        -> classifier.{shared} = model.{shared} \
        && classifier.{gone}.load_state_dict(model.{gone}.state_dict()) -> \
        | part other shared gone = embedding LSTM embedding lstm, LSTM embedding lstm embedding
    You hand over the {part} itself, so both models train one and the same, and the {other} stays as
    it was. Copy the weights of both: `load_state_dict`.
--- hint 3
`load_state_dict` of the whole model: \
        classifier.embedding.load_state_dict(model.embedding.state_dict()) \
        -> classifier.load_state_dict(model.state_dict())
    `load_state_dict` wants every name to agree, and the language model has `softmax` where the
    classifier has `output`. Call it on the parts, `classifier.lstm.load_state_dict(...)`, or with
    `strict=False`.
`load_state_dict` of two parts into the whole: \
        classifier.embedding.load_state_dict(model.embedding.state_dict()) \
        -> state = model.state_dict() ⏎parts = [name for name in state if "softmax" not in name] \
        ⏎classifier.load_state_dict({name: state[name] for name in parts})
    `load_state_dict` misses the names of `output`. Call it on the parts,
    `classifier.lstm.load_state_dict(...)`, or with `strict=False`.
--- no hint
the language model is frozen: classifier.lstm -> model.requires_grad_(False) ⏎classifier.lstm
    You freeze the language model for good. A copy needs no such lock: whoever owns the model may go
    on training it.
frozen: classifier.lstm -> classifier.lstm.requires_grad_(False) \
        && classifier.embedding -> classifier.embedding.requires_grad_(False)
    The copied parts can no longer learn. Dai and Le go on training *all* weights; freezing is what
    TagLM and ELMo will do.
the LSTM is frozen: classifier.lstm -> classifier.lstm.requires_grad_(False)
    The LSTM can no longer learn. Dai and Le go on training *all* weights; freezing is what TagLM
    and ELMo will do.
the embedding is frozen: classifier.embedding -> classifier.embedding.requires_grad_(False)
    The embedding can no longer learn. Dai and Le go on training *all* weights.
    (`nn.Embedding.from_pretrained` freezes, unless you say `freeze=False`.)
"""

EXERCISE = Exercise(
    id="start_from",
    title="Move in with the furniture",
    lesson=LESSON,
    points=3,
    difficulty=2,
    importance=5,
    minutes=4,
    reference=lstm_classifier.start_from,
    run=_run_start,
    codes=True,
    cases=(
        Case("9 words, 2 classes", _sizes(9, 2, 4, 5), weight=2),
        Case("30 words, 6 classes", _sizes(30, 6, 8, 8)),
        Case("a frozen language model", _sizes(9, 2, 4, 5, True), weight=2),
    ),
    mistakes=(
        *slips(_by_parameter, SLIPS),
        *slips(_by_part, SLIPS_OF_LOADING),
        Mistake("frozen like the model", _deep_copies, FROZEN, hint=2),
    ),
    right_answers={
        "names that both have": _start_by_names,
        "a new embedding": _start_from_new_parameters,
        "load_state_dict, not strict": lambda c, m: c.load_state_dict(m.state_dict(), strict=False),
        "parameter by parameter": _by_parameter,
    },
)
