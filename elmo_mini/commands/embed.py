"""``python -m elmo_mini embed``: the vectors of every word of a text file."""

import argparse
from pathlib import Path
from typing import get_args

from elmo_mini.arguments import positive_int
from elmo_mini.checkpoints.find import add_model_arguments, files_of, model_of
from elmo_mini.embedding.cache.writing import Dtype
from elmo_mini.embedding.embed_file import Format, Layers, embed_file, read_sentences
from elmo_mini.fast.bilm import FastBiLM
from elmo_mini.files import check_not_read


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Input, output, model, and what to write."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = (
        "Write the vectors of every word of a text file, one sentence a line. The suffix of\n"
        "OUTPUT says how:\n"
        "  .hdf5         one array per line, under the line's number from 0, as `allennlp elmo`\n"
        "  .safetensors  the same arrays in a safetensors file\n"
        "  .vectors      a cache to read with elmo_mini.VectorCache: smaller, since the token\n"
        "                layer is stored once per word type"
    )
    parser.epilog = (
        "example:\n"
        "  python -m elmo_mini embed sentences.txt vectors.hdf5 \\\n"
        "      --model options.json --weights weights.hdf5 --layers top"
    )
    parser.add_argument("input", metavar="INPUT", help="a UTF-8 text file, one sentence a line")
    parser.add_argument("output", metavar="OUTPUT", help="the file to write")
    add_model_arguments(parser)
    add = parser.add_argument_group("what to write").add_argument
    layers = "all layers, the top one, or their average; a cache always holds all (default: all)"
    add("--layers", choices=get_args(Layers), default="all", help=layers)
    dtype = "float16 halves the file and keeps about three digits (default: float32)"
    add("--dtype", choices=get_args(Dtype), default="float32", help=dtype)
    split = "find the words with elmo_mini's tokeniser; otherwise white space parts them"
    add("--split-words", action="store_true", help=split)
    add("--format", choices=get_args(Format), help="in place of OUTPUT's suffix")
    add("--overwrite", action="store_true", help="replace OUTPUT if it is there")
    resume = (
        "keep the vectors in OUTPUT.resume until all are there; the same command then goes on "
        "after a kill. Takes the space of OUTPUT twice"
    )
    add("--resume", action="store_true", help=resume)
    size = "sentences at once (default: 64)"
    add("--batch-size", type=positive_int, default=64, metavar="N", help=size)
    stateful = (
        "carry the LSTM's state from batch to batch as AllenNLP did; not for a cache. A line's "
        "vectors then depend on the lines before it"
    )
    add("--stateful", action="store_true", help=stateful)
    warm_up = (
        "read the sentences of this text first, once; the state they lead to is then where every "
        "sentence starts, in place of zeros"
    )
    add("--warm-up", metavar="FILE", help=warm_up)


def run(args: argparse.Namespace) -> int:
    """Embed the file and say how large the outcome is."""
    check_not_read(args.output, [args.input, args.warm_up, *files_of(args)])
    bilm = model_of(args)
    bilm.stateful = args.stateful
    if args.warm_up is not None:
        _warm_up(bilm, Path(args.warm_up), args.split_words)
    written = embed_file(
        bilm,
        args.input,
        args.output,
        format=args.format,
        layers=args.layers,
        dtype=args.dtype,
        split_words=args.split_words,
        batch_size=args.batch_size,
        overwrite=args.overwrite,
        resume=args.resume,
    )
    print(written)
    return 0


def _warm_up(bilm: FastBiLM, path: Path, split_words: bool) -> None:
    sentences = list(filter(None, read_sentences(path, split_words=split_words)))
    if not sentences:
        raise ValueError(f"{path} holds no word; a warm-up needs at least one sentence")
    bilm.warm_up(sentences)
