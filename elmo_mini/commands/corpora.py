"""``python -m elmo_mini corpora``: which corpora are here, and ``--download`` for the others."""

import argparse
import textwrap

from elmo_mini.corpora import available
from elmo_mini.corpora.catalogue import CATALOGUE
from elmo_mini.corpora.download import download


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's one option."""
    parser.add_argument(
        "--download",
        nargs="*",
        metavar="NAME",
        help="fetch these corpora, or with no name all that are missing",
    )


def run(args: argparse.Namespace) -> int:
    """List the corpora, or fetch some; 1 when one of them could not be fetched."""
    if args.download is not None:
        outcome = download(args.download or None)
        print(outcome)
        return 0 if outcome else 1
    here = available()
    print(f"{sum(here.values())} of {len(here)} corpora are on this machine.\n")
    print(f"  {'name':<18} {'here':<5} {'tokens':>9} {'sentences':>9}  holds")
    for name, entry in CATALOGUE.items():
        mark = "yes" if here[name] else "no"
        holds = ", ".join(sorted(entry.holds)).replace("_", " ")
        print(f"  {name:<18} {mark:<5} {entry.tokens:>9,} {entry.sentences:>9,}  {holds}")
    print("\nWhat they are, their licences, and what to beware of:")
    for name, entry in CATALOGUE.items():
        caution = f" Beware: {entry.caution}." if entry.caution else ""
        about = f"{name}: {entry.title}. Licence: {entry.licence}.{caution}"
        print(textwrap.fill(about, 96, initial_indent="  ", subsequent_indent="      "))
    if not all(here.values()):
        print("\nFetch what is missing: python -m elmo_mini corpora --download")
    return 0
