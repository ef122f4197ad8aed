"""From running text to sentences, and from sentences to tokens, with nothing to download.

The tokens follow the Penn Treebank's habits, which Brown, CoNLL-2000 and MASC share: clitics
stand alone (``do n't``, ``Kim 's``), abbreviations keep their full stop (``Mr.``, ``U.S.``),
hyphenated words stay whole, other punctuation is a token of its own. One thing differs: a token
is always a piece of the text as written, so quotation marks stay what they were, and joining the
tokens gives the text back, without its white space.

Where a full stop is ambiguous no rule is always right. `split_sentences` reads four signs: a
known abbreviation, initials, the capital that follows, and a short list of words that open
sentences. Kiss & Strunk (2006, "Unsupervised multilingual sentence boundary detection") learn
such lists from text instead.
"""

import re

from elmo_mini.text.sentences import check_characters

_TITLES = """
    Mr Mrs Ms Messrs Mme Mlle Dr Prof Rev Fr Hon Gen Col Maj Capt Lt Cmdr Sgt Cpl Pvt Gov Pres Sen
    Sens Rep Reps Adm St Ste Mt Ft vs v cf pp viz approx ca
"""
_SHORT_FORMS = """
    Jr Sr Esq Inc Co Cos Corp Ltd Bros Assn Dept Univ Ave Blvd Rd Jan Feb Mar Apr Jun Jul Aug Sep
    Sept Oct Nov Dec Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Md Mich Minn Miss Mo
    Mont Neb Nev Okla Ore Pa Penn Tenn Tex Va Vt Wash Wis Wyo Mass etc al est ed eds ft
"""
_REFERENCES = "no nos vol vols fig figs eq eqs sec secs ch chs p pp art"
_OPENING_WORDS = """
    A After Again All Also Although An And Another As At Because Before Both But By Despite Each
    Even Every Few For From He Her Here His How However I If In Indeed Instead It Its Just Last
    Later Many Meanwhile Moreover Most My Nevertheless Next No Nobody Not Nothing Now Of On Once
    One Only Other Our Perhaps She Since So Some Somebody Someone Still Such That The Their Then
    There These They This Those Though Thus To Today Under Unlike Until We What When Where Whether
    Which While Who Why With Yes Yesterday Yet You Your
"""
_NUMBERED = frozenset(_REFERENCES.split())
_NEVER_LAST = frozenset(_TITLES.split())
_MAY_BE_LAST = frozenset(_SHORT_FORMS.split())
_OPENERS = frozenset(_OPENING_WORDS.split())

_LETTER = r"[^\W\d_\u3400-\u9fff\u3040-\u30ff]"
_IN_WORD = r"[^\W\u3400-\u9fff\u3040-\u30ff]|[\u0300-\u036f]"
_CLITIC = r"(?i:s|m|d|ll|re|ve)\b"
_ABBREVIATION = "|".join(sorted(_NEVER_LAST | _MAY_BE_LAST))
_BEFORE_NUMBERS = "|".join(sorted(_NUMBERED))

_TOKEN = re.compile(
    rf"""
    (?:https?://|www\.)[^\s<>"“”]*[^\s<>"“”'’.,;:!?)\]}}]        # addresses on the web
  | (?<![\w.+-])[\w.+-]++@[\w-]+(?:\.[\w-]+)+                     # and of mail
  | \.{{2,}} | -{{2,}} | `` | ''                                 # ... -- and ASCII quotes
  | (?:{_LETTER}\.){{2,}} | \bPh\.D\.                            # U.S.  a.m.  e.g.
  | \b(?:{_ABBREVIATION})\.                                      # Mr.  Corp.  Nov.
  | \b(?i:{_BEFORE_NUMBERS})\.(?=\s*\d)                          # No. 10  vol. 2
  | \b(?=[A-Z]\.\s+[A-Z])(?!I\.)[A-Z]\.                          # J. Smith
  | (?i:n['’]t\b) | ['’]{_CLITIC}                                # n't  's  'll
  | \d+(?:[.,:/]\d+)+(?:{_LETTER}+\b)?                           # 1,000.50  4:00pm  3/4
  | {_LETTER}+?(?=(?i:n['’]t)\b)                                 # the do of don't
  | (?:{_IN_WORD})+(?:(?:['’](?!{_CLITIC})|[-‐‑&](?=\w))(?:{_IN_WORD})+)*   # words
  | \S                                                           # any other sign, a Han character
    """,
    re.VERBOSE,
)
_BOUNDARY = re.compile(
    r"""
    (?<![.!?…])(?P<stop>[.!?…]++)(?P<close>['’"”»)\]}]*+)(?P<gap>\s++) # a stop, then white space
  | [。！？]+[”’」』）]*                                              # or a full-width stop
  | \n[^\S\n]*\n\s*                                                # or an empty line
    """,
    re.VERBOSE,
)
_LAST_WORD = re.compile(r"[\w.&'’-]+$")
_NEXT_WORD = re.compile(r"(?P<open>[\s\"'“‘`«(\[{—–-]*)(?P<word>[^\W_]+)")
_INITIALS = re.compile(rf"(?:{_LETTER}\.)*{_LETTER}|Ph\.D")


def tokenize(text: str, *, lower: bool = False) -> list[str]:
    """The tokens of one sentence, or of any text, as a list of strings.

    Each token is a piece of `text` (in lower case with ``lower=True``), in order, and only white
    space is left out. Chinese and Japanese come out one character a token: segment such text
    first when you want words. Half a character, as ``errors="surrogateescape"`` reads it, is a
    ValueError here and in the other three.
    """
    check_characters(text)
    tokens = _TOKEN.findall(text)
    return [token.lower() for token in tokens] if lower else tokens


def tokenize_spans(text: str) -> list[tuple[int, int]]:
    """The same tokens as `tokenize`, as ``(start, end)`` positions in `text`."""
    check_characters(text)
    return [match.span() for match in _TOKEN.finditer(text)]


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, in order, without the white space around them.

    An empty line always ends a sentence. In text with no capital letter at all, every stop that
    does not belong to an abbreviation ends one.
    """
    return [text[start:end] for start, end in split_spans(text)]


def split_spans(text: str) -> list[tuple[int, int]]:
    """The same sentences as `split_sentences`, as ``(start, end)`` positions in `text`."""
    check_characters(text)
    has_capitals = text != text.lower()
    spans, start = [], 0
    for match in _BOUNDARY.finditer(text):
        if match["stop"] and "\n\n" not in match["gap"].replace(" ", "").replace("\r", ""):
            if not _ends_sentence(text, match, has_capitals):
                continue
            end = match.end("close")
        else:
            end = match.end()
        spans.append((start, end))
        start = match.end()
    spans.append((start, len(text)))
    return [span for span in (_strip(text, *span) for span in spans) if span[0] < span[1]]


def _ends_sentence(text: str, match: re.Match[str], has_capitals: bool) -> bool:
    following = _NEXT_WORD.match(text, match.end())
    opening, word = (following["open"], following["word"]) if following else ("", "")
    if has_capitals and word[:1].islower():
        return False
    if match["stop"] != ".":
        return True
    before = _LAST_WORD.search(text, max(0, match.start() - 40), match.start())
    last = before.group() if before else ""
    if last in _NEVER_LAST or (last.lower() in _NUMBERED and word[:1].isdigit()):
        return False
    if last == "I" or not (last in _MAY_BE_LAST or _INITIALS.fullmatch(last)):
        return True
    return word in _OPENERS or '"' in opening + match["close"]


def _strip(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    stripped = piece.strip()
    start += len(piece) - len(piece.lstrip())
    return start, start + len(stripped)
