"""``python -m elmo_mini probe``: what each layer of a biLM knows about senses or grammar."""

import argparse
from pathlib import Path
from typing import get_args

from elmo_mini.arguments import non_negative_int, positive_float, positive_int, random_seed
from elmo_mini.checkpoints.find import add_model_arguments, files_of, model_of
from elmo_mini.files import as_path, check_not_read, readable, ready_to_write
from elmo_mini.probing.probe import Kind, probe
from elmo_mini.probing.probing_tasks import TASKS, load_task
from elmo_mini.records import is_record, write_record
from elmo_mini.word_vectors.word2vec_trainer import Word2Vec


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The task, the model, and the probe's settings."""
    tasks = "\n".join(f"  {name:<10}{about}" for name, (_, about) in TASKS.items())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Train a simple classifier on the frozen vectors of each layer and test it, beside the\n"
        f"baselines that need no biLM. The tasks:\n{tasks}"
    )
    parser.epilog = (
        "example:\n"
        "  python -m elmo_mini probe senseval:line --train-size 500 --draws 5 --cache vectors"
    )
    parser.add_argument("task", metavar="TASK", help="what to ask the layers, see above")
    add_model_arguments(parser)
    add = parser.add_argument_group("the probe").add_argument
    kinds = (
        "nearest examples, nearest mean of a label, or logistic regression (default: knn for "
        "senses, linear for parts of speech)"
    )
    add("--probe", choices=get_args(Kind), help=kinds)
    layers = "layers to probe (default: all)"
    add("--layers", type=non_negative_int, nargs="+", metavar="K", help=layers)
    add("--neighbours", type=positive_int, default=5, metavar="K", help="k of k-NN (default: 5)")
    c = "of the linear probe: scikit-learn's C, smaller is smoother (default: 1)"
    add("--c", type=positive_float, default=1.0, metavar="C", help=c)
    size = (
        "learn from N examples (of each ambiguous word), drawn anew in each draw (default: all, in "
        "one draw)"
    )
    add("--train-size", type=positive_int, metavar="N", help=size)
    add("--draws", type=positive_int, default=5, metavar="N", help="how many draws (default: 5)")
    add("--seed", type=random_seed, default=0, metavar="N", help="of the first draw (default: 0)")
    static = "word2vec vectors of this package, as a further baseline"
    add("--static", metavar="FILE", help=static)
    add = parser.add_argument_group("files").add_argument
    cache = "keep the vectors there, for the next probe of this text"
    add("--cache", metavar="FOLDER", help=cache)
    add("--output", metavar="FILE", help="store the result there as JSON")
    replace = "replace FILE whatever it is; the result of a probe is replaced without it, too"
    add("--overwrite", action="store_true", help=replace)


def run(args: argparse.Namespace) -> int:
    """Probe, print the table, and store it where that is asked for."""
    output = ready_to_write(args.output) if args.output is not None else None
    if output is not None:
        caches = [] if args.cache is None else as_path(args.cache).glob("*.vectors")
        check_not_read(args.output, [args.static, *caches, *files_of(args)])
        ready_to_write(output, overwrite=args.overwrite or is_record(output))
    task = load_task(args.task)
    report = probe(
        model_of(args),
        task,
        kind=args.probe or ("linear" if task.name.startswith("pos") else "knn"),
        layers=args.layers,
        neighbours=args.neighbours,
        c=args.c,
        train_size=args.train_size,
        draws=args.draws,
        seed=args.seed,
        static=None if args.static is None else Word2Vec.load(args.static),
        cache=None if args.cache is None else as_path(args.cache),
    )
    try:  # a disk that is full, or a reader who has left, costs one of the two
        print(f"\n{report}", flush=True)
    finally:
        if output is not None:
            write_record(output, report.title, report.as_dict(), command=_command(args))
    return 0


def _command(args: argparse.Namespace) -> str:
    """The command that gives these numbers; of paths, only the names, since folders differ."""
    words = ["python -m elmo_mini probe", args.task]
    for name in ("model", "weights", "vocabulary", "static"):
        if getattr(args, name) is not None:
            words.append(f"--{name} {readable(Path(getattr(args, name)).name)}")
    for name, default in (
        ("probe", None),
        ("layers", None),
        ("neighbours", 5),
        ("c", 1.0),
        ("train_size", None),
        ("draws", 5),
        ("seed", 0),
    ):
        value = getattr(args, name)
        if value != default:
            shown = " ".join(map(str, value)) if isinstance(value, list) else value
            words.append(f"--{name.replace('_', '-')} {shown}")
    return " ".join(words)
