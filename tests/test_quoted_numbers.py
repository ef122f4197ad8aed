"""The numbers of stored results that a lesson's prose quotes are those in the files."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

from autograde.building.deck_source import Slide, slides_of
from autograde.building.lesson_source import read_lesson
from course.awd_lstm.experiments import FALLING, WHOLE_FALLING
from course.awd_lstm.figures import (
    all_of_it_less,
    better_than_stopping,
    gains_of_dropout,
)
from course.context_enters.sense_vote import COUNTED, stored_course_senses
from course.results.intervals import UNCLEAR, interval, lead, verdict_twice
from course.results.stored import stored_result
from course.starting_from_a_language_model.report import start_lead, verdict, wider_lead
from course.ulmfit.experiments import PLAIN as PLAIN_WAY
from course.ulmfit.report import LEFT_OUT, em_less, em_of
from course.ulmfit.stages_setup import PLAIN_RATE
from elmo_mini.checkpoints.pretrained import load_pretrained
from elmo_mini.transformer.files import load_masked_lm
from tests.lesson_text import for_learners

ROOT = Path(__file__).resolve().parent.parent


def less(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """One result less another, seed by seed."""
    return interval(np.array(one["values"]) - np.array(other["values"]))


def between(point: Mapping[str, Any], digits: int, times: float = 1) -> str:
    """Its interval, as the lessons write it."""
    low, high = sorted(times * point[end] for end in ("low", "high"))
    return f"{low:.{digits}f} to {high:.{digits}f}".replace("-", "−")


def two_trainers() -> list[str]:
    stored = stored_result("word2vec_against_gensim").numbers["results"]
    skip_gram, cbow = (stored[kind]["ways"]["gensim"] for kind in ("skip-gram", "CBOW"))
    assert 0.45 < skip_gram["overlap"]["mean"] < 0.55  # "half of a word's neighbours are others"
    clock = "words per second, clock"
    assert 2 < cbow[clock]["mean"] / skip_gram[clock]["mean"] < 5  # "gains less than that"
    tuned = stored_result("word2vec_against_counts").numbers
    measure, pairs = tuned["measures"]["class"], tuned["measures"]["similarity"]["less counts"]
    alone, both = measure["less counts"]["skip-gram"], measure["less counts"]["both"]
    assert alone["low"] < 0
    assert alone["high"] > -0.0005
    assert all(lead["low"] < 0 < lead["high"] for lead in pairs.values())  # "tell nothing"
    tried = tuned["tried, on the other half"]["class"]
    rounds = {tuple(setting): value for *setting, value in tried["skip-gram"]}
    counted = max(value for *_, value in tried["counts: PPMI, SVD"])
    arithmetic = {key: by["counts: PPMI, SVD"] for key, by in tuned["arithmetic"].items()}
    gained = arithmetic["similarity"]["facts"]["lead"]
    networks = [by["skip-gram"]["facts"]["lead"] for by in tuned["arithmetic"].values()]
    assert all(lead["low"] < 0 for lead in networks)  # "gains none"
    low, high = (f"{100 * gained[end]:.0f}" for end in ("low", "high"))
    return [
        "With another seed, half of a word's neighbours are others.",
        f"has {100 * rounds[2, 5]:.0f} % after five rounds, its default, and "
        f"{100 * rounds[2, 20]:.0f} % after twenty. The counts have {100 * counted:.0f} % at once",
        f"the network is {-100 * alone['mean']:.1f} points behind ({between(alone, 1, 100)})",
        f"it adds {100 * both['mean']:.1f} points ({between(both, 1, 100)})",
        f"The {tuned['pairs asked']} pairs of words",
        f"gain {100 * gained['mean']:.0f} points from the arithmetic, {low} to {high}",
    ]


def language_model() -> list[str]:
    numbers = stored_result("context_language_model").numbers
    stored, mixed = numbers["perplexity"], numbers["perplexity of mixtures"]
    added = next(by for key, by in numbers.items() if key.startswith("added by the LSTM"))[
        "to trigrams and a cache"
    ]
    assert mixed["two LSTMs"]["mean"] > stored["trigrams, Kneser-Ney"]  # "hardly"
    return [
        f"Its perplexity is {stored['LSTM']['mean']:.1f} "
        f"({between(stored['LSTM'], 1)} over three seeds)",
        f"Counts of pairs have {stored['bigrams, Kneser-Ney']:.1f}",
        f"counts of triples {stored['trigrams, Kneser-Ney']:.1f}",
        f"the **mixture**, half of each, has {mixed['LSTM and trigrams']['mean']:.1f} there "
        f"({between(mixed['LSTM and trigrams'], 1)})",
        f"mixed, have {mixed['two LSTMs']['mean']:.1f} ({between(mixed['two LSTMs'], 1)})",
        f"with it the triples have {mixed['trigrams and a cache']:.1f}.",
        f"saves {added['mean']:.3f} nats a word ({between(added, 3)}",
    ]


def senses() -> list[str]:
    numbers = stored_result("context_senses").numbers
    course = stored_course_senses()
    leads = course["leads, over words and seeds"]
    beside, twin, left = (
        "random vectors of the two words beside",
        "context2vec, untrained",
        "LSTM at the word",
    )
    untrained = leads[f"{left} before {left}, untrained"]
    assert untrained["low"] < 0 < untrained["high"]  # "no clear difference"
    assert course["test sentences"] == 335
    assert course["words"] == 28
    for by in numbers["senseval"].values():  # "is not beaten"
        for reader in (left, "context2vec"):
            assert less(by["linear"][reader], by["linear"][beside])["low"] < 0
    serve = {name: by["mean"] for name, by in numbers["senseval"]["serve"]["linear"].items()}
    assert max(serve, key=lambda name: serve[name]) == "mean of word2vec vectors around"
    before_twin, before_words = (leads[f"context2vec before {other}"] for other in (twin, beside))
    assert f"{100 * before_words['mean']:.0f}" == "12"  # "twelve points ahead"
    trained = leads["context2vec before word2vec vectors of the two words beside"]
    by_counts, lstm = (leads[f"{reader} before {COUNTED}"] for reader in ("context2vec", left))
    for unclear in (trained, by_counts, lstm):  # "no clear difference", "nothing clear"
        assert unclear["low"] < 0 < unclear["high"]
    behind = {"low": -lstm["high"], "high": -lstm["low"]}
    return [
        f"The LSTM leads its untrained twins by {100 * untrained['mean']:.1f} points "
        f"({between(untrained, 1, 100)})",
        f"context2vec leads its own by {100 * before_twin['mean']:.1f} "
        f"({between(before_twin, 1, 100)})",
        f"the two words beside by {100 * before_words['mean']:.1f} "
        f"({between(before_words, 1, 100)})",
        f"context2vec is {100 * trained['mean']:.1f} points ({between(trained, 1, 100)}) ahead of",
        f"without vectors: {100 * course[COUNTED]['mean']:.0f} %",
        f"context2vec is {100 * by_counts['mean']:.1f} points ({between(by_counts, 1, 100)}) ahead",
        f"the LSTM {-100 * lstm['mean']:.1f} points ({between(behind, 1, 100)}) behind",
    ]


def starts() -> list[str]:
    stored = stored_result("context_pretraining").numbers
    assert len(stored["seeds"]) == 3
    opinion, speech = (stored["tasks"][n]["leads"] for n in ("subjectivity", "part of speech"))
    few, many = speech["100"], speech["1000"]
    whole, vectors, last = "language model", "language model's embedding", "last word, no LSTM"
    lost, bag, helped, by_vectors = (
        opinion["100"][f"{whole} before nothing"],
        opinion["100"][f"{whole} before bag of words, no LSTM"],
        few[f"{whole} before nothing"],
        few[f"{vectors} before nothing"],
    )
    assert verdict_twice(bag) == "behind"
    for clear in (helped, by_vectors):
        assert verdict_twice(clear) == "ahead"
    rivals = (few[f"{whole} before {vectors}"], *(n[f"{whole} before {last}"] for n in (few, many)))
    for unclear in (lost, *rivals):
        assert verdict_twice(unclear) == "no clear difference"
    assert verdict("subjectivity") == "no clear difference"
    assert verdict("part of speech") == "helps"
    assert start_lead("subjectivity", "bag of words, no LSTM").verdict == "behind"
    right = stored["tasks"]["subjectivity"]["accuracy"]["100"]
    best, second = sorted(right, key=lambda name: -right[name]["mean"])[:2]
    assert (best, second) == ("word2vec embedding", "naive Bayes, no LSTM")
    assert less(right[best], right[second])["low"] < 0  # "not clearly"
    return [
        "the whole move makes no clear difference, and a bag of words is ahead of it",
        f"have the highest mean ({100 * right[best]['mean']:.0f} %), "
        "not clearly ahead of naive Bayes",
    ]


def forgetting() -> list[str]:
    tasks = stored_result("context_forgetting").numbers["tasks"]
    alone, little, joint = (
        "labels alone",
        "with a tenth of the language-model loss",
        "with the language-model loss",
    )
    frozen = "embedding and LSTM frozen"
    grown = {}
    for task in ("part of speech", "subjectivity"):
        nats = tasks[task]["forgotten, nats a token"]
        ends = {end: float(np.exp(nats[alone][end])) for end in ("low", "high")}
        grown[task] = f"{np.exp(nats[alone]['mean']):.1f} ({between(ends, 1)})"
        assert abs(np.exp(nats[joint]["mean"]) - 1) < 0.02  # "within 2 %"
        assert nats[little]["mean"] < nats[alone]["mean"] / 1.8  # "most of the language model"
    speech, opinion = (tasks[task]["accuracy"] for task in ("part of speech", "subjectivity"))
    assert 0 < less(speech[alone], speech[joint])["mean"] < 0.02  # "little"
    held, moving = opinion[frozen]["mean"], speech[frozen]["mean"]
    assert abs(held - opinion[joint]["mean"]) < 0.05  # "in place in one task"
    assert less(speech[joint], speech[frozen])["low"] > 0  # "and not in the other"
    low, high = (100 * opinion[little][end] for end in ("low", "high"))
    longer = stored_result("context_forgetting_longer").numbers
    times = {way: of["mean"] for way, of in longer["perplexity, times"].items()}
    right = longer["accuracy"]
    shares = {way: f"{100 * of['mean']:.0f} %" for way, of in right.items()}
    leads = longer["leads, over seeds and test sentences"]
    whole, tenth = (wider_lead(leads[f"{way} before {alone}"]) for way in (joint, little))
    assert 6 <= -whole.mean <= 7  # the slide
    return [
        f"weight 1 has {shares[joint]} ({between(right[joint], 0, 100)}), "
        f"at {times[joint]:.2f} times the perplexity",
        f"Labels alone have {shares[alone]} at {times[alone]:.1f} times, a tenth of the weight "
        f"{shares[little]} at {times[little]:.1f} times",
        f"{-whole.mean:.1f} points ({-whole.high:.1f} to {-whole.low:.1f}); of a tenth it is "
        f"{-tenth.mean:.1f} points ({-tenth.high:.1f} to {-tenth.low:.1f})",
        f"has {100 * held:.0f} % there and {100 * moving:.0f} % for the part of speech",
        f"of {grown['part of speech']} for the part of speech",
        f"of {grown['subjectivity']} for subjective or objective",
        f"from {100 * opinion[alone]['mean']:.0f} % to {100 * opinion[joint]['mean']:.0f} %",
        f"the accuracy is {100 * opinion[little]['mean']:.0f} %, with an interval from {low:.0f} "
        f"to {high:.0f}",
    ]


def telegrams() -> list[str]:
    stored = stored_result("context_seq2seq").numbers
    lost = stored["log perplexity above the whole method, same seeds"]
    variants = stored["variants"]
    assert len(stored["seeds"]) == 3
    neither, start, encoder, decoder, joint, softmax, residual, layers = (
        lost[name]
        for name in (
            "no pretraining, no language-model loss",
            "language-model loss without pretraining",
            "only the encoder pretrained",
            "only the decoder pretrained",
            "pretraining without language-model loss",
            "decoder without its softmax",
            "without the residual",
            "attention to the top layer only",
        )
    )
    for unclear in (neither, decoder, softmax):
        assert unclear["low"] < 0 < unclear["high"]
    for clear in (encoder, residual, layers):
        assert clear["low"] > 0
    near, near_too, far = sorted(neither["values"])
    assert near < near_too < 0.12  # "one of them far behind"
    assert far > 0.4
    whole, no_loss = (
        variants[name] for name in ("the whole method", "pretraining without language-model loss")
    )
    return [
        f"{neither['mean']:.2f} nats are lost ({between(neither, 2)}; three seeds",
        f"without a start {start['mean']:.2f} nats are lost ({between(start, 2)})",
        f"With the encoder's start alone {encoder['mean']:.2f} are lost ({between(encoder, 2)})",
        f"with the decoder's alone {decoder['mean']:.2f} ({between(decoder, 2)})",
        f"is worth {layers['mean']:.2f} nats, the residual {residual['mean']:.2f}",
        f"The softmax's {softmax['mean']:.2f} ({between(softmax, 2)})",
        f"{-joint['mean']:.2f} nats *lower* ({between(joint, 2, -1)})",
        f"perplexity {whole['target LM perplexity']['mean']:.0f}, without it "
        f"{no_loss['target LM perplexity']['mean']:.0f}",
    ]


def taglm() -> list[str]:
    parts = stored_result("taglm_without_rnn")
    one, tenth, everything = (
        stored_result(f"taglm_{share}").numbers
        for share in ("one_percent", "ten_percent", "all_labels")
    )
    for few in (one, tenth):
        assert few["gain of layer 0"]["mean"] > 0.67 * few["gain"]["mean"]
        assert few["gain over layer 0"]["low"] > 0
    strict = stored_result("taglm_words_at_the_input").numbers
    assert strict["gain over layer 0 at the input"]["with"]["low"] > 0
    assert strict["f1"]["with"]["values"] == one["f1"]["with"]["values"]
    assert f"{100 * everything['gain']['mean']:.0f}" == "2"
    learnt = [
        numbers["gain of learnt transitions"][name]["mean"]
        for numbers in (one, tenth, everything)
        for name in ("without", "with")
    ]
    names = stored_result("taglm_ner").numbers
    leads = names["over seeds and test sentences"]
    assert verdict_twice(leads["gain of untrained"]) == UNCLEAR
    assert verdict_twice(leads["gain of layer 0"]) == "ahead"
    assert verdict_twice(leads["gain over layer 0"]) == "ahead"
    clues = stored_result("taglm_clues").numbers
    chunked, named = (clues[task]["f1"]["mean"] for task in ("chunks, 1 %", "names"))
    both = clues["names"]["over seeds and test sentences"]
    without = 100 * names["f1"]["without"]["mean"]
    beside = stored_result("taglm_counted_names").numbers
    told, zero, top = (
        beside[name]
        for name in ("counted less without", "layer 0 less counted", "with less counted")
    )
    assert lead(told).verdict == lead(top).verdict == "ahead"
    assert lead(zero).verdict == UNCLEAR  # "as much as layer 0"
    counted = stored_result("taglm_counted").numbers
    by_counts, ahead, network = (
        counted[name]
        for name in ("counted less without", "layer 0 less counted", "with less counted")
    )
    gain = by_counts["mean"] + network["mean"]  # of the same three seeds
    share = less(by_counts, network)  # "about half of the gain, perhaps more"
    assert share["low"] < 0 < share["mean"]
    for numbers in (parts.numbers, parts.numbers["with 1 %"]):
        gains = numbers["gain over LM and task RNN"]
        assert f"{-100 * gains['softmax, no CRF']['mean']:.0f}" == "1"
        assert gains["LM and no task RNN"]["mean"] > 0.5 * gains["no LM"]["mean"]
    by_rules = "softmax, decoded by the rules"
    both_shares = [numbers["f1"] for numbers in (parts.numbers["with 1 %"], parts.numbers)]
    over_rules = [less(f1["LM and task RNN"], f1[by_rules]) for f1 in both_shares]
    of_rules = [less(f1[by_rules], f1["softmax, no CRF"]) for f1 in both_shares]
    assert {lead(gain).verdict for gain in over_rules} == {UNCLEAR}
    few_rules, tenth_rules = (
        f"{100 * gain['mean']:.1f}{word} ({between(gain, 1, 100)})"
        for gain, word in zip(over_rules, (" ahead", ""), strict=True)
    )
    few_back, tenth_back = (
        f"{100 * gain['mean']:.1f}{word} ({between(gain, 1, 100)})"
        for gain, word in zip(of_rules, (" points", ""), strict=True)
    )
    tenth_place = stored_result("taglm_position").numbers
    first_place = tenth_place["with 1 %"]
    for numbers in (tenth_place, first_place):
        assert numbers["gain over after_first"]["after_second"]["high"] < 0
    assert lead(first_place["gain over after_first"]["input"]).verdict == UNCLEAR
    assert 0 < tenth_place["gain over after_first"]["input"]["mean"] < 0.005  # "a little ahead"
    assert tenth_place["gain over after_first"]["input"]["low"] > 0
    return [
        "layer 0 brings more than two thirds on average",
        f"layer 0 brings {100 * one['gain of untrained']['mean']:.1f} points in place of "
        f"{100 * one['gain of layer 0']['mean']:.1f} (1 %), and "
        f"{100 * tenth['gain of untrained']['mean']:.1f} in place of "
        f"{100 * tenth['gain of layer 0']['mean']:.1f} (10 %)",
        f"on average at most {100 * max(learnt):.1f} points",
        "With all labels about two points are left",
        f"own {names['sentences']['test']} test sentences",
        f"Counted vectors have {100 * beside['f1']['mean']:.1f} (the same seeds): "
        f"{100 * told['mean']:.1f} points over no language model ({between(told, 1, 100)})",
        f"(layer 0 less counted vectors: {100 * zero['mean']:.1f}, ".replace("-", "−")
        + f"{between(zero, 1, 100)})",
        f"The top layer is {100 * top['mean']:.1f} ahead ({between(top, 1, 100)}; all over seeds",
        f"What the network adds to names is {100 * top['mean']:.0f} points",
        "about a point is lost",
        f"the CRF is then {few_rules}, with 10 % {tenth_rules}: no clear difference",
        f"The rules alone bring back {few_back}, and {tenth_back}: the point is theirs",
        f"has an F1 of {100 * chunked:.1f} on the same draws of 1 %, where the tagger without the "
        f"language model has {100 * one['f1']['without']['mean']:.1f}",
        f"the clues have {100 * named:.1f} (five seeds; {between(both, 0, 100)} over seeds and "
        f"sentences), more on average than the {without:.1f} without",
        f"bring {100 * by_counts['mean']:.1f} points of F1 over no language model "
        f"({between(by_counts, 1, 100)}; 1 %, three seeds)",
        f"Layer 0 is {100 * ahead['mean']:.1f} ahead of them ({between(ahead, 1, 100)})",
        f"the top layer is {100 * network['mean']:.1f} ahead ({between(network, 1, 100)})",
        f"({100 * by_counts['mean']:.1f} of {100 * gain:.1f} points)",
        f"What the network adds is {100 * network['mean']:.0f} points**, not {100 * gain:.0f}",
    ]


def letters() -> list[str]:
    numbers = stored_result("characters_neighbours").numbers
    unseen, misspelt = numbers["class of unseen words"], numbers["misspelt"]
    ahead = unseen["checkpoint ahead of"]
    layer_0, untrained = "layer 0 of the checkpoint", "the same, untrained"
    text = "fastText, same text"
    assert ahead[untrained]["low"] > 0.15  # "far ahead of its untrained twin"
    assert misspelt["occur in the checkpoint's text"] == 0  # "none of them occurs"
    assert unseen["words"] == len(unseen["drawn"]) == 500
    ordinary, alike = (
        numbers[question]["share"] for question in ("meaning or any word", "meaning or letters")
    )
    assert ordinary[layer_0]["low"] > 0.5 > ordinary[untrained]["low"]  # "well above a coin"
    assert ordinary[untrained]["high"] > 0.5  # "the untrained network does not"
    assert alike[text]["low"] < 0.5 < alike[text]["high"]  # "no better than a coin"
    for question in ("meaning or any word", "meaning or letters"):  # "knows more meaning"
        assert numbers[question]["checkpoint ahead of"][text]["high"] < 0
    assert alike[layer_0]["high"] < 0.25  # "nearly every time"
    ends = stored_result("characters_endings").numbers
    end = "the same, untrained, last four letters"
    seen, white = ends["checkpoint ahead of"], ends["whitened checkpoint ahead of"]
    share, ending = ends["share"], "longest common ending, lower case first"
    low, high = share[untrained]["mean"], share[layer_0]["mean"]
    assert (share[ending]["mean"] - low) / (high - low) > 2 / 3  # "most of the grammar"
    more = ends[f"checkpoint ahead of {ending}, 2000 more words"]
    for lead_of_words in (seen[ending], more):
        assert lead_of_words["low"] > 0
        assert 0.03 < lead_of_words["mean"] < 0.04  # "three or four points"
    assert ends["whitened"][layer_0]["high"] < share[ending]["low"]  # "whitened none"
    affixes = stored_result("characters_labels").numbers
    by_affixes = affixes["affixes ahead of layer 0, 2000 more words"]
    assert min(by_affixes["low"], affixes["affixes ahead of layer 0"]["low"]) > 0  # "is ahead"
    assert seen[end]["mean"] < seen[untrained]["mean"] / 2  # "more than half"
    behind = {"low": -white[end]["high"], "high": -white[end]["low"]}
    return [
        f"{misspelt['words']} slips",
        f"The {unseen['words']} words asked about",
        f"{100 * seen[untrained]['mean']:.1f} points ({between(seen[untrained], 1, 100)}, over",
        f"on 2,000 more words: {100 * more['mean']:.1f}, {between(more, 1, 100)})",
        f"affixes is {100 * by_affixes['mean']:.1f} ahead of one on layer 0 "
        f"({between(by_affixes, 1, 100)})",
        f"shrinks to {100 * seen[end]['mean']:.1f} ({between(seen[end], 1, 100)})",
        f"{100 * white[untrained]['mean']:.1f} points ({between(white[untrained], 1, 100)}) ahead",
        f"falls by {-100 * white[end]['mean']:.1f} ({between(behind, 1, 100)})",
    ]


def checkpoint() -> list[str]:
    card = (ROOT / "elmo_mini/data/course_bilm/README.md").read_text("utf-8")
    read, minutes = re.findall(r"- ([\d,]+) words read by|- ([\d.]+) minutes on CPU", card)
    assert "1 process(es)" in card  # "one processor"
    texts = re.findall(r"\| (?:whole|train) \| ([\d,]+) \|", card)
    words = sum(int(text.replace(",", "")) for text in texts)
    assert 2.5 < int(read[0].replace(",", "")) / words < 3  # "almost three times"
    return [
        f"for {float(minutes[1]):.0f} minutes on one processor",
        f"has read {words / 1e6:.1f} million words",
    ]


def senses_in_real_text() -> list[str]:
    questions = stored_result("real_senses_brown").numbers["questions"]

    def percent(question: str, reader: str) -> str:
        return f"{100 * questions[question]['share'][reader]['mean']:.0f} %"

    grammar, bank, untrained = "play: noun or verb", "bank: money or river", "layer 2, untrained"
    numbers = stored_result("real_senses_examples").numbers["accuracy"]
    both = "naive Bayes with layer 2"
    linear, bayes, together = (
        f"{100 * numbers[name][-1]['mean']:.0f} %"
        for name in ("layer 2, linear", "naive Bayes", both)
    )
    adds = stored_result("real_senses_examples").numbers["ahead of"][both]["naive Bayes"][-1]
    added, adds_between = f"{100 * adds['mean']:.1f} points", between(adds, 1, 100)
    reading = stored_result("real_senses_examples").numbers["ahead of"][both]
    level = reading["naive Bayes with layer 0 around"][-1]
    apart = f"{100 * level['mean']:.1f}, {between(level, 1, 100)}".replace("-", "−")
    return [
        f"(with a thousand {apart})",
        f"{percent(grammar, 'layer 2')} of the nearest neighbours of *play* have its part of "
        f"speech, where an untrained network has {percent(grammar, untrained)} and chance "
        f"{100 * questions[grammar]['chance']:.0f} %; the word before alone brings "
        f"{percent(grammar, 'layer 0, word before')}",
        f"For *bank* layer 2 has {percent(bank, 'layer 2')} against {percent(bank, untrained)} "
        f"untrained; random vectors of the neighbouring words have "
        f"{percent(bank, 'random vectors around')}",
        f"a linear probe of layer 2 has {linear}, three points below naive Bayes ({bayes}); both "
        f"together have {together}, {added} more than naive Bayes alone ({adds_between})",
        f"layer 2 adds {added} to naive Bayes ({adds_between})",
        f"Layer 2 beside it adds {added}",
        f"both together are ahead of it, by {added}",
    ]


def one_word_of_four() -> list[str]:
    one, two = (
        stored_result("layers_senseval").numbers["rows"][f"layer {layer}"]["by_word"]
        for layer in (1, 2)
    )
    lead = {word: 100 * (two[word] - one[word]) for word in two}
    serve = lead.pop("serve")
    assert serve > 5 > 1 > max(lead.values())
    gap = stored_result("layers_senseval").numbers["differences"]["layer 2 less layer 1"]
    many = stored_result("layers_pos").numbers["differences"]["layer 1 less layer 2"]
    mean, low, high = (f"{abs(100 * many[end]):.1f}" for end in ("mean", "low", "high"))
    return [
        f"by {100 * gap['mean']:.1f} points, but nearly all of that",
        "comes from one of the four words, *serve*",
        f"(20,000, stored) it is +{mean} points, from −{low} to +{high}",
    ]


def counted_input() -> list[str]:
    leads = stored_result("counted_input_chunks").numbers["leads"]
    counted, zero, whole = (
        leads[key]
        for key in (
            "counted vectors less clues and CRF alone",
            "layer 0 less counted vectors",
            "input less counted vectors",
        )
    )
    for clear in (counted, zero, whole):
        assert clear["low"] > 0
    assert f"{100 * leads['input less clues and CRF alone']['mean']:.0f}" == "15"
    assert f"{100 * leads['layer 0 less clues and CRF alone']['mean']:.0f}" == "11"
    return [
        f"They bring {100 * counted['mean']:.1f} ({between(counted, 1, 100)}) of the points",
        f"Over them ELMo is {100 * whole['mean']:.1f} ({between(whole, 1, 100)}) ahead",
        f"{100 * zero['mean']:.1f} ({between(zero, 1, 100)}) ahead of counted vectors",
    ]


def counted_senses() -> list[str]:
    stored = stored_result("counted_senses_votes").numbers
    adds, ahead = stored["naive Bayes gains by"], stored["layer less counted"]
    with_bayes = ahead["naive Bayes that hears it"]
    five = with_bayes["layer 1 less five words"]
    for unclear in (adds["five words"], *ahead["the vote alone"].values(), *with_bayes.values()):
        assert lead(unclear).verdict == UNCLEAR
    right = stored["right"]["naive Bayes that hears it"]
    assert right["five words"]["mean"] > right["seven words"]["mean"]  # the stronger is shown
    assert lead(adds["layer 1"]).verdict == lead(adds["layer 2"]).verdict == "ahead"
    assert f"{100 * adds['layer 1']['mean']:.0f}" == "7"
    return [
        f"({100 * adds['five words']['mean']:.1f}, {between(adds['five words'], 1, 100)})",
        f"{100 * five['mean']:.1f} points ({between(five, 1, 100)})",
    ]


def counted_in_its_text() -> list[str]:
    stored = stored_result("counted_words_pos").numbers
    leads = stored["layer 1 less clues and counted vectors"]
    every, met, new = (leads[of] for of in ("all", "words that it has met", "new words"))
    sets = stored["layer 1 less clues and counted vectors, over sets and sentences"]
    assert min(every["low"], sets["low"], new["low"]) > 0
    assert met["low"] < 0 < met["high"]  # "nothing that can be seen"
    right = {of: f"{100 * share['mean']:.0f}" for of, share in stored["right"].items()}
    assert (right["all"], right["new words"]) == ("89", "81")  # the slides
    assert all(1.5 < 100 * lead["mean"] < 3.5 for lead in (every, sets))  # "two or three points"
    fewer = stored_result("fewer_labels_chunks").numbers["leads"]
    clues, linear, tagger = fewer.values()
    assert clues["low"] > 0
    assert all(lead["low"] < 0 < lead["high"] for lead in (linear, tagger))  # "level"
    quarter = "all layers, 25 sentences less clues and counted vectors, tagger, 100 sentences"
    assert fewer[quarter] == tagger
    return [
        f"ahead by {100 * every['mean']:.1f} points ({between(every, 1, 100)})",
        f"it is {100 * sets['mean']:.1f} ({between(sets, 1, 100)})",
        f"{100 * new['mean']:.1f} points ahead ({between(new, 1, 100)})",
        f"({100 * met['mean']:.1f}, {between(met, 1, 100)})",
        f"{-100 * linear['mean']:.1f} points behind ({between(linear, 1, -100)})",
        f"{100 * tagger['mean']:.1f} points in favour of the layers ({between(tagger, 1, 100)})",
    ]


def two_sizes() -> list[str]:
    senses, course = stored_result("larger_senseval").numbers, stored_result("layers_senseval")
    perplexity = {name: b["validation_perplexity"] for name, b in senses["bilms"].items()}
    assert round(100 * (1 - perplexity["larger"] / perplexity["course"])) == 7  # "by 7 %"
    words = stored_result("larger_pos").numbers["differences"]
    for layer, clear in ((1, True), (2, False)):
        pair = f"larger, layer {layer} less course, layer {layer}"
        gain = senses["differences"][pair]
        assert (gain["low"] > 0) is clear  # "clearly only in layer 1"
        assert 1 <= round(100 * gain["mean"]) <= 2  # "a point or two"
        assert words[pair]["low"] < 0 < words[pair]["high"]  # "nothing that we can see"
        before = senses["rows"][f"larger, untrained, layer {layer}"]["accuracy"]
        before -= course.numbers["rows"][f"layer {layer}, untrained"]["accuracy"]
        assert round(100 * before) == 3  # "about three points"
        assert gain["mean"] < before  # "has not grown"
    cells = {name: b["cells"] for name, b in senses["bilms"].items()}
    return [
        f"{cells['larger']:,} cells in each direction in place of {cells['course']}",
        f"its perplexity is {perplexity['larger']:.1f}, where ours has {perplexity['course']:.1f}",
    ]


def awd_lstm() -> list[str]:
    stored = stored_result("awd_lstm_larger").numbers
    ahead, systems = stored["better than"], stored["systems"]
    early, plain = (ahead[f"{who}, stopped early"] for who in ("nothing", "ordinary dropout"))
    averaging, nothing = (
        systems[f"{who}, last epoch"]["mean"] for who in ("averaging alone", "nothing")
    )
    assert plain["low"] < 0 < plain["high"]  # "not clearly ahead"
    assert stored["better than it alone"]["AR and TAR"]["low"] < 0  # "clearly ahead of neither"
    ablation = stored_result("awd_lstm_ablation").numbers
    ordinary, small = map(ordinary_over_locked, (stored, ablation))
    assert f"{ordinary['mean']:.1f}" == f"{small['mean']:.1f}"
    unknown = [f"{100 * text['unknown_in_test']:.0f}" for text in (stored, ablation)]
    room = [of["better with it alone"]["weight drop"]["high"] for of in (stored, ablation)]
    sizes = stored_result("awd_lstm_dropout").numbers
    rival = ablation["systems"]["ordinary dropout, stopped early"]["values"]
    chosen = interval(gains_of_dropout(sizes["the whole text"], rival))
    assert stored["best epoch"]["all of it"].count(stored["epochs"]) == 3  # "three of five"
    longer = stored_result("awd_lstm_longer").numbers
    in_time = longer["better than ordinary dropout"]
    late, jumping = in_time["all of it"], in_time["all of it without averaging"]
    no_weight_drop = longer["worse without weight drop, not averaged"]
    assert late["low"] > 0
    longest = stored_result("awd_lstm_rivals_larger").numbers
    falls, falls_beside = (
        np.array(longest[how][FALLING]["values"]) for how in ("alone", "beside triples")
    )
    over = {
        name: interval(np.array(of["values"]) - falls) for name, of in longer["systems"].items()
    }
    assert all(point["low"] > 0 for point in over.values())  # "ahead of them all"
    steep = np.array(longest["alone"][WHOLE_FALLING]["values"])
    steady = longer["systems"]["all of it without averaging"]["values"]
    assert interval(steep - steady)["low"] > 0  # "loses by such a fall"
    jumps, calm = (
        np.mean(longer["best epoch"][f"all of it{how}"]) for how in (" without averaging", "")
    )
    assert jumps < calm / 2  # "in less than half the time"
    tenth, whole = (interval(gains_of_dropout(sizes[x])) for x in ("a tenth", "the whole text"))
    bare = [point["mean"] for point in sizes["the whole text"]["better than nothing"].values()]
    counted = stored_result("awd_lstm_counts").numbers
    bring = counted["triples add"]["nothing, stopped early"]
    better = counted["better than stopping early"]
    whole_alone, whole_beside = (better["all of it"][how] for how in ("alone", "beside triples"))
    assert bring["mean"] > 1.5 * whole_alone["mean"]  # "more than all the remedies together"
    assert all(of["alone"]["low"] > 0 for of in better.values())
    assert all(of["beside triples"]["low"] < 0 for of in better.values())  # "no remedy"
    falling = less(counted["alone"]["nothing, falling rate"], counted["alone"]["all of it"])
    assert falling["low"] < 0  # "not clearly ahead"
    assert len(falling["values"]) == 5  # "five starts"
    rivals = stored_result("awd_lstm_rivals").numbers
    started = better_than_stopping(counted, rivals)["two starts, averaged"]
    two, two_beside = started["alone"], started["beside triples"]
    assert two["high"] < bring["low"]  # "It is not mixing alone"
    triples_bring = [
        interval(alone - beside)
        for alone, beside in (
            (falls, falls_beside),
            [np.array(rivals[how][FALLING]["values"]) for how in ("alone", "beside triples")],
        )
    ]
    level, beside, second = (
        all_of_it_less(rival, counted, rivals, how)
        for rival, how in (
            (FALLING, "alone"),
            (FALLING, "beside triples"),
            ("two starts, averaged", "alone"),
        )
    )
    for point in (level, beside, second):  # "does as well", "not clearly ahead of that"
        assert point["low"] < 0 < point["high"]
    apart = f"{level['mean']:.1f}".replace("-", "−")
    return [
        f"{bring['mean']:.1f} points ({between(bring, 1)}) against "
        f"{whole_alone['mean']:.1f} ({between(whole_alone, 1)})",
        f"all of it brings {whole_beside['mean']:.1f} points ({between(whole_beside, 1)}), a "
        f"second start {two_beside['mean']:.1f} ({between(two_beside, 1)})",
        f"mixed in, brings {two['mean']:.1f} ({between(two, 1)})",
        f"the difference is {apart} points ({between(level, 1)})",
        f"not clearly behind: {falling['mean']:.1f} points ({between(falling, 1)})",
        f"one test text of {counted['words']['test']:,} words",
        f"add {early['mean']:.1f} points to it ({between(early, 1)}). **Within",
        f"of ordinary dropout:** {plain['mean']:.1f} points ({between(plain, 1)})",
        f"from {nothing:.0f} to {systems['nothing, stopped early']['mean']:.0f}, for the price",
        f"even so: {chosen['mean']:.1f} points ({between(chosen, 1)})",
        f"to {averaging:.0f} where nothing ends at {nothing:.0f}",
        f"by {tenth['mean']:.1f} points on a tenth ({between(tenth, 1)}) "
        f"and {whole['mean']:.1f} on the whole text ({between(whole, 1)})",
        f"costs {bare[1]:.1f} to {bare[-1]:.1f} points on the whole text",
        f"{ordinary['mean']:.1f} points ahead of locked alone: clear on the larger text "
        f"({between(ordinary, 1)}), not on 12,000 words ({between(small, 1)})",
        f"for {room[0]:.1f} points on the larger text and {room[1]:.1f} on the smaller",
        f"{' to '.join(unknown)} in 100 words of our test texts",
        f"up to {longer['epochs']} epochs",
        f"by {late['mean']:.1f} points ({between(late, 1)}). Averaging",
        "of all of it by {mean:.1f} points ({low:.1f} to {high:.1f})".format(**over["all of it"]),
        "of all of it without averaging by {mean:.1f} ({low:.1f} to {high:.1f})".format(
            **over["all of it without averaging"]
        ),
        "gains {0[mean]:.1f} points ({0[low]:.1f} to {0[high]:.1f}), on 12,000 words "
        "{1[mean]:.1f} ({1[low]:.1f} to {1[high]:.1f})".format(*triples_bring),
        f"the lead is {jumping['mean']:.1f} ({between(jumping, 1)})",
        f"not missed there: {no_weight_drop['mean']:.1f} ({between(no_weight_drop, 1)})",
    ]


def ordinary_over_locked(text: dict[str, Any]) -> dict[str, Any]:
    """How far ordinary dropout alone is ahead of locked alone, seed by seed."""
    bare, ordinary = (
        np.array(text["systems"][f"{who}, stopped early"]["values"])
        for who in ("nothing", "ordinary dropout")
    )
    locked = text["better with it alone"]["locked dropout"]["values"]
    return interval(bare - locked - ordinary)


def ulmfit() -> list[str]:
    pipeline, scratch = "stages 1, 2 and 3", "from scratch"
    stored = stored_result("ulmfit_labels_questions").numbers
    leads = dict(zip(stored["labels"], stored["lead of stages 1, 2 and 3"][scratch], strict=True))
    assert verdict_twice(leads[50]) == verdict_twice(leads[100]) == UNCLEAR
    assert verdict_twice(leads[500]) not in (UNCLEAR, "ahead", "behind")  # "not by the second"
    for way in ("bag of words", "naive Bayes SVM", "ELMo features"):  # "at no size"
        points = stored["lead of stages 1, 2 and 3"][way]
        assert "ahead" not in {verdict_twice(point) for point in points}
    at = {
        way: dict(zip(stored["labels"], stored["right"][way], strict=True))
        for way in stored["right"]
    }
    assert f"{at[pipeline][100]['mean']:.0%}" == "61%"  # "past 61 % with 500"
    assert at[scratch][100]["mean"] < at[pipeline][100]["mean"] < at[scratch][500]["mean"]
    parts = stored_result("ulmfit_parts").numbers["tasks"]
    for task in ("questions", "opinions"):
        general = parts[task]["perplexity of general text"]
        whole = general["the whole recipe"]["mean"]
        assert 1.5 < general["one rate for all layers"]["mean"] / whole < 2
        assert general["no gradual unfreezing"]["mean"] / whole < 1.05
        clear = {
            variant
            for variant, point in parts[task]["lead of the whole recipe"].items()
            if verdict_twice(point) != UNCLEAR
        }
        assert clear <= {"a constant rate"}
    both = stored_result("ulmfit_both_ways").numbers["lead of both ways"]
    alone, twice = both["forward"], both["forward twice"]
    draws = interval(alone["values"])
    assert verdict_twice(twice) == UNCLEAR  # "level with forward twice"
    opinions = stored_result("ulmfit_labels_opinions").numbers
    at_500 = {
        way: points[opinions["labels"].index(500)]
        for way, points in opinions["lead of stages 1, 2 and 3"].items()
    }
    plain = at_500[PLAIN_WAY]
    assert verdict_twice(plain) == "behind"
    assert verdict_twice(at_500[scratch]) == UNCLEAR  # "level with from scratch"
    naive, all_of_it = "naive Bayes SVM", opinions["labels"].index(8_530)
    behind = opinions["lead of stages 1, 2 and 3"]
    assert {verdict_twice(behind[way][all_of_it]) for way in (naive, PLAIN_WAY)} == {"behind"}
    longer = {task: stored_result(f"ulmfit_longer_{task}").numbers for task in parts}
    gained = {task: of["gained"] for task, of in longer.items()}
    with_more = {task: of["lead of stages 1, 2 and 3"] for task, of in longer.items()}
    by_plain = {task: verdict_twice(leads[PLAIN_WAY]) for task, leads in with_more.items()}
    assert by_plain == {"questions": UNCLEAR, "opinions": "clear by one interval alone"}
    assert all(verdict_twice(leads[naive]) != "ahead" for leads in with_more.values())
    assert verdict_twice(with_more["questions"]["bag of words"]) == "ahead"
    assert {task: verdict_twice(of[pipeline]) for task, of in gained.items()} == {
        "questions": "clear by one interval alone",
        "opinions": "ahead",
    }
    assert {verdict_twice(of[PLAIN_WAY]) for of in gained.values()} == {UNCLEAR}
    *others, most = sorted(gained["questions"][pipeline]["values"])
    assert most > sum(others)  # "most of its points come from one draw"
    shares = [x["mean"] for points in opinions["right"].values() for x in points[:2]]
    assert max(shares) < 0.57  # "near guessing all but EM"
    narrowest = min(
        (point["high"] - point["low"]) / 2
        for of in parts.values()
        for variant, point in of["lead of the whole recipe"].items()
        if variant in LEFT_OUT
    )
    behind_counts = behind[naive][opinions["labels"].index(500)]
    tuned = {task: stored_result(f"ulmfit_rates_{task}").numbers for task in parts}
    assert not any(
        verdict_twice(point) == "ahead" for of in tuned.values() for point in of["lead over plain"]
    )
    verdicts = {
        (task, count): verdict_twice(point)
        for task, of in tuned.items()
        for count, point in zip(of["labels"], of["lead over plain"], strict=True)
    }
    behind_twice = [where for where, said in verdicts.items() if said in ("ahead", "behind")]
    assert behind_twice == [("opinions", 500)]
    a_hundred = tuned["questions"]["lead over plain"][1]["values"]
    assert min(a_hundred) < 0.9 * sum(a_hundred)  # "most of the −4.4 is one draw"
    tuned_leads = "; ".join(
        f"{task} "
        + ", ".join(
            f"{100 * point['mean']:.1f} ({between(point, 1, 100)})".replace("-", "−")
            for point in of["lead over plain"]
        )
        for task, of in tuned.items()
    )
    rates = ", ".join(f"{of['rate']} on {task}" for task, of in tuned.items())
    em, em_less_plain = em_of("opinions")["right"][1], em_less("opinions", PLAIN_WAY)[500]
    em_less_elmo = em_less("opinions", "ELMo features")[100]
    assert verdict_twice(behind_counts) == "clear by one interval alone"
    return [
        f"{-100 * plain['mean']:.1f} points behind *plain*, clearly",
        f"is at {100 * em['mean']:.0f} % with 100**, "
        f"{100 * em_less_elmo['mean']:.1f} points ahead of ELMo",
        f"{100 * em_less_plain['mean']:.1f} ahead of *plain* "
        f"({between(em_less_plain, 1, 100)}, over the draws)",
        f"over *from scratch* is {100 * leads[50]['mean']:.1f} points with 50 labels",
        f"{100 * leads[100]['mean']:.1f} with 100: not clear",
        f"With 500 it is {100 * leads[500]['mean']:.1f}: clear by the first interval",
        f"leads forward alone by {100 * alone['mean']:.1f} points",
        f"(draws and texts {between(alone, 1, 100)}, "
        f"the five draws alone {between(draws, 1, 100)})",
        f"(*plain*, {PLAIN_RATE})",
        f"chosen on dev, too ({rates})",
        f"with 50, 100 and 500 labels: {tuned_leads}.",
        f"and {-100 * behind_counts['mean']:.1f} behind counting words, by one interval",
        f"the narrowest of these intervals reaches {100 * narrowest:.1f} points to either side",
        f"gains {100 * gained['questions'][pipeline]['mean']:.1f} points by one interval",
        f"still {-100 * with_more['opinions'][PLAIN_WAY]['mean']:.1f} points behind *plain*",
        f"the recipe clearly gains {100 * gained['opinions'][pipeline]['mean']:.1f} points",
    ]


def both_sides() -> list[str]:
    masked, bilm = load_masked_lm()[0], load_pretrained()
    weights, reference, words = (
        sum(parameter.numel() for parameter in part.parameters())
        for part in (masked, bilm, masked.word)
    )
    assert abs(words / weights - 1 / 2) < 0.02  # "half"
    data = ROOT / "elmo_mini/data"
    (minutes,) = re.findall(
        r"(\d+) minutes of one", (data / "larger_masked_lm/README.md").read_text("utf-8")
    )
    (longer,) = re.findall(
        r"([\d.]+) minutes on CPU", (data / "course_bilm/README.md").read_text("utf-8")
    )
    senses = stored_result("masked_layers_rivals").numbers["differences"]
    behind = senses["masked less naive Bayes"]
    assert senses["biLM less naive Bayes"]["low"] < 0 < senses["biLM less naive Bayes"]["high"]
    for who in ("masked", "biLM"):  # "either brings a point or two"
        added = senses[f"naive Bayes and {who} less naive Bayes"]
        assert 0 < added["low"] < added["mean"] < 0.02
    known = {
        name: 100 * gain["mean"]
        for name, gain in stored_result("masked_layers_pos_known").numbers["differences"].items()
    }
    assert round(known["masked, layer 3 less masked, layer 0"]) == 2  # "only two points above"
    assert round(known["biLM, layer 0 less masked, layer 3"]) == 9  # "nine points ahead"
    assert known["masked, layer 3 less biLM, layer 2"] < -10  # "far ahead"
    blanks = stored_result("both_sides_blanks").numbers
    product, pair, words = (
        blanks["differences"][name]
        for name in (
            "both less product of language models",
            "product, asked at blanks less two of both",
            "both less both and counts",
        )
    )
    assert min(product["low"], pair["low"], words["low"]) > 0
    return [
        f"{weights / 1e6:.1f} million weights against {reference / 1e6:.1f}",
        f"took {minutes} minutes of one core; that of the biLM took {float(longer):.0f}",
        f"are behind: {-100 * behind['mean']:.1f} points ({between(behind, 1, -100)}) fewer",
        f"is ahead of it: by {product['mean']:.2f} nats ({between(product, 2)})",
        f"ahead of their product by {pair['mean']:.2f} nats ({between(pair, 2)})",
        f"counts add {words['mean']:.2f} nats ({between(words, 2)})",
    ]


@pytest.mark.parametrize(
    ("number", "quotes"),
    [
        ("01", two_trainers),
        ("03", language_model),
        ("03", senses),
        ("04", starts),
        ("04", forgetting),
        ("04", telegrams),
        ("05", taglm),
        ("06", letters),
        ("07", checkpoint),
        ("08", senses_in_real_text),
        ("09", one_word_of_four),
        ("09", counted_input),
        ("09", counted_senses),
        ("09", counted_in_its_text),
        ("09", two_sizes),
        ("10", awd_lstm),
        ("11", ulmfit),
        ("12", both_sides),
    ],
)
def test_prose_quotes_the_stored_result(number: str, quotes: Callable[[], list[str]]) -> None:
    (source,) = ROOT.glob(f"solutions/{number}_*/*.py")
    prose = for_learners(source)
    assert [quote for quote in quotes() if quote not in prose] == []


# What slides say of other places in the lesson, or work out.
ELSEWHERE = {
    "01": {"0.80", "0.60", "0.40", "0.20"},
    "02": {"79.7", "41.4"},
    "04": {"0.7", "1.4", "1.8"},
    "07": {"4.8"},
    "14": {"8.7"},
}
NEAR = 6  # cells before and after the one that a slide shows
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")


def seen_and_read(cell: Any) -> str:
    """The prose of a cell of a notebook, or what it prints and what its pictures say."""
    found = [cell.source] if cell.cell_type == "markdown" else []
    for output in cell.get("outputs", []):
        found += [output.get("text", ""), output.get("data", {}).get("text/plain", "")]
        found.append(output.get("metadata", {}).get("image/png", {}).get("alt", ""))
    return " ".join(found)


def said_on(slide: Slide) -> set[str]:
    """The decimals of a slide and its note, less formulas, options and wrong answers."""
    said = [slide.heading, *(() if slide.kind == "poll" else slide.steps)]
    said += [slide.note[key] for key in ("say", "ask", "expect")]
    text = re.sub(r'\$[^$]*\$|"[^"]*"', "", " ".join(said))
    return {number for number in NUMBER.findall(text) if "." in number}


@pytest.mark.parametrize(
    "source", sorted(ROOT.glob("solutions/*/*.py")), ids=lambda path: path.parent.name[:2]
)
def test_a_slide_quotes_the_notebook(source: Path) -> None:
    """Each decimal of a deck is, rounded, a number near the cell that the slide shows."""
    lesson = read_lesson(source)
    cells = nbformat.read(source.with_suffix(".ipynb"), 4).cells
    texts = [seen_and_read(cell) for cell in cells]
    strays = {}
    for number, slide in enumerate(slides_of(lesson), start=1):
        near = " ".join(texts[max(0, slide.position - NEAR) : slide.position + NEAR + 1])
        values = [float(value.replace(",", "")) for value in NUMBER.findall(near)]
        for said in said_on(slide) - ELSEWHERE.get(source.parent.name[:2], set()):
            half = 0.5001 * 10.0 ** -len(said.partition(".")[2])
            if not any(abs(times * v - float(said)) < half for v in values for times in (1, 100)):
                strays[said] = number
    assert strays == {}, "not near the cell that the slide of this number shows"


def test_the_table_of_two_sizes_holds_the_stored_results() -> None:
    table = (ROOT / "elmo_mini/data/README.md").read_text("utf-8")
    course = stored_result("layers_senseval").numbers["rows"]
    for task, row in (("senseval", "senses in senseval"), ("pos", "parts of speech")):
        rows = stored_result(f"larger_{task}").numbers["rows"]
        cells = (
            ", ".join(f"{100 * rows[f'{who}, layer {k}']['accuracy']:.1f} %" for k in (1, 2))
            for who in ("course", "larger")
        )
        assert f"| {row}, layers 1 and 2 | {' | '.join(cells)} |" in table
    rows = stored_result("larger_senseval").numbers["rows"]
    before = (
        [course[f"layer {k}, untrained"] for k in (1, 2)],
        [rows[f"larger, untrained, layer {k}"] for k in (1, 2)],
    )
    cells = (", ".join(f"{100 * row['accuracy']:.1f} %" for row in pair) for pair in before)
    assert f"| the same before training | {' | '.join(cells)} |" in table
    bilms = stored_result("larger_senseval").numbers["bilms"].values()
    cells = (f"{bilm['validation_perplexity']:.1f}" for bilm in bilms)
    assert f"| validation perplexity | {' | '.join(cells)} |" in table


def with_interval(point: dict[str, float]) -> str:
    median, low, high = (f"{point[which]:.1f}" for which in ("median", "low", "high"))
    return f"{median} ({low} to {high})"


def test_the_page_of_the_package_quotes_the_stored_speeds_of_training() -> None:
    results = stored_result("elmo_training_2_threads").numbers["results"]
    page = (ROOT / "docs/package.md").read_text("utf-8")
    kinds = {"32 sentences": "32 sentences", "32 rows of 20 words": "32x20"}
    for name, key in {**kinds, "8 rows of 100 words": "8x100"}.items():
        cells = (
            with_interval(results[f"{size} {key}"]["whole ours over allennlp"])
            for size in ("course", "small")
        )
        assert f"| {name} | {' | '.join(cells)} |" in page


def test_the_page_of_the_package_and_the_readme_quote_the_stored_speeds() -> None:
    """Each row of the table, whose name leads to the stored one; and the README's two numbers."""
    results = stored_result("elmo_inference_2_threads").numbers["results"]
    page = (ROOT / "docs/package.md").read_text("utf-8")
    row = r"^\| ((?:course|small), .+?) \| (.+?) \| (.+?) \| (\d+) ms \| (\d+) %"
    rows = re.findall(row, page, re.MULTILINE)
    assert len(rows) == len(results)
    first = {}
    for name, plain, cached, milliseconds, of_the_best in rows:
        key = name.replace(",", "").replace("one sentence", "1 sentences")
        key = re.sub(r"(\d+) rows of (\d+) words", r"\1x\2", key)
        times = results[key]["times_as_fast"]
        for quoted, kind in ((plain, "ours"), (cached, "cached")):
            assert quoted == with_interval(times[f"{kind} over allennlp"]), name
        took = results[key]["milliseconds"]["ours"]["median"]
        assert milliseconds == f"{took:.0f}"
        assert of_the_best == f"{100 * results[key]['processor']['least_milliseconds'] / took:.0f}"
        first[key] = plain.split()[0]
    readme = " ".join((ROOT / "README.md").read_text("utf-8").split())
    one, many = first["course 1 sentences"], first["course 32 sentences"]
    assert f"{one} times as fast as AllenNLP 2.10.1, and 32 sentences {many} times" in readme
