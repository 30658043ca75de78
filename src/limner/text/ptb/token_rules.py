"""The kinds of tokens, each with its pattern. Of all that match at a position, the longest is the token.

The length of the whole match decides. If a pattern has a group, the first is
the token, and the rest of the match is what must follow it. Of two matches of
the same length, the earlier rule wins. Patterns are matched against the shape
of a text (see `characters`); tokens are cut from the text itself.

The rules come from the reference tool's answers alone: they were found by
giving it text and looking at the tokens it made.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from limner.text.lexicon import word_set
from limner.text.ptb.abbreviations import BEFORE_NUMBERS, ENDINGS, OPENERS, PARTED, STATES, TITLES
from limner.text.ptb.characters import CAPITAL, DIGIT, MARK, SMALL, SPACE, SYMBOL

Making = Callable[[str], Sequence[str]]


@dataclass(frozen=True, eq=False, slots=True)
class Rule:
    """A kind of token: the characters it may begin with, its pattern, and what becomes of its text.

    `reach` is for patterns that may look far ahead in vain. If the pattern
    fails at a position, it fails everywhere up to the end of what `reach`
    matches there. This keeps the time linear in the length of the text.
    """

    first: re.Pattern[str]
    pattern: re.Pattern[str]
    making: Making | None = None
    reach: re.Pattern[str] | None = None


@cache
def rules() -> tuple[Rule, ...]:
    """All rules in order of priority, compiled at the first call."""
    parts = (_blanks, _markup, _words, _apostrophes, _web, _numbers, _acronyms, _abbreviations, _quotes, _punctuation)
    return tuple(rule for part in parts for rule in part())


def _rule(first: str, pattern: str, making: Making | None = None, reach: str | None = None) -> Rule:
    return Rule(re.compile(first), re.compile(pattern), making, re.compile(reach) if reach else None)


_LETTER = f"A-Za-z{SMALL}{CAPITAL}"
_DIGIT = f"0-9{DIGIT}"
_APOSTROPHE = "(?:['’\x92]|&(?i:apos);)"
_ANY_QUOTE = "(?:['’‘`‛\x91\x92]|&(?i:apos);)"
_BLANK = f"[ \t\n\xa0\x85{SPACE}]"
_IN_WORD = f"[{_LETTER}{MARK}\xad]"
_LATER_IN_WORD = f"[{_LETTER}{_DIGIT}{MARK}\xad]"
_SIMPLE = f"{_IN_WORD}{_LATER_IN_WORD}*+"
_WORD = f"{_SIMPLE}(?:[.!?]{_SIMPLE})*+"
_ELIDED = f"(?:[dDoOlL]{_ANY_QUOTE}[{_LETTER}{_DIGIT}])?"
_COMPOUND = f"{_ELIDED}[{_LETTER}{_DIGIT}]++(?:[-_\u058a‐‑]{_ELIDED}[{_LETTER}{_DIGIT}]++)*+"
_DOTTED_RUN = r"[A-Za-z0-9][A-Za-z0-9.,\xad]*+"
_ACRONYM = r"[A-Za-z](?:\.[A-Za-z])+\."
_DOTTED_COMPOUND = rf"{_DOTTED_RUN}(?:-(?:{_ACRONYM}|[A-Za-z0-9\xad]++))++"
_FIRMS = "[A-Z]++(?:(?:[&+]|&(?i:amp);)[A-Z]++)++"
_CONTRACTED = f"{_APOSTROPHE}(?i:s|m|d|ll|re|ve)"
_NOT = f"[nN]{_ANY_QUOTE}[tT]"


# A no-break space belongs to the blanks if it follows one; alone, it may begin an address.
BLANKS = f"[ \t][ \t\xa0{SPACE}]*+"


def _blanks() -> Iterator[Rule]:
    yield _rule("[ \t]", BLANKS, lambda _: ())


_NAME = "[A-Za-z][A-Za-z0-9_:.-]*+"
_VALUE = """(?:"[^"\n]*+"|'[^'\n]*+')"""
_TAG = f"<(?:{_NAME}(?: ++{_NAME}(?: *+= *+{_VALUE})?)*+ *+/? *+|/{_NAME} *+)>"
_DECLARED = "<[!?][A-Za-z-][^>\n]*+"


def _markup() -> Iterator[Rule]:
    """Tags, with their spaces kept from parting them: `<a href="x">`."""
    yield _rule("<", _TAG, _tied)
    yield _rule("<", f"{_DECLARED}>", _tied, reach=_DECLARED)


def _words() -> Iterator[Rule]:
    yield _rule("[cglwCGLW]", f"(?i:{'|'.join(PARTED)})", lambda text: (text[:3], text[3:]))
    yield _rule("[A-Za-z\xad]", rf"([A-Za-z\xad]*[A-MO-Za-mo-z]\xad*){_NOT}", _plain)
    yield _rule(_IN_WORD, f"({_WORD}){_CONTRACTED}", _plain)
    yield _rule("[nN]", _NOT, _straight)
    yield _rule(_IN_WORD, _WORD, _plain)
    yield _rule(f"[{_LETTER}{_DIGIT}]", _COMPOUND)
    yield _rule("[A-Z]", _FIRMS, lambda text: (re.sub("&amp;", "&", text, flags=re.IGNORECASE),))
    yield _rule("[cCfF]", r"[cC]\+\+|[cCfF]#")
    yield _rule("[A-Z]", r"[A-Z]++\$")
    slashed = "[A-Za-z0-9]++(?:-[A-Za-z]++)*+"
    yield _rule("[A-Za-z0-9]", rf"{slashed}(?:\\?/{slashed}){{1,2}}")


def _apostrophes() -> Iterator[Rule]:
    """Words with an apostrophe inside, before or after them, and what is left where one parts them."""
    inside = f"[A-HJ-XZn]{_ANY_QUOTE}[{_LETTER}]{{2,}}+"
    between_vowels = f"[{_LETTER}]+[aeiouyAEIOUY]{_ANY_QUOTE}[aeiouA-Z][{_LETTER}]*+"
    yield _rule(f"[{_LETTER}]", f"{inside}|{between_vowels}")
    yield _rule("[celnsCELNS]", "(?i:c'mon|e'er|ev'ry|li'l|nat'l|nor'easter|s'mores)")
    shortened = f"c{_APOSTROPHE}est|cap{_APOSTROPHE}n|(?:dunkin|ol|somethin){_APOSTROPHE}"
    yield _rule("[cdosCDOS]", f"(?i:{shortened})|[oO]{_ANY_QUOTE}[oO]")
    yield _rule("[dDjJlL]", f"[dDjJlL]{_APOSTROPHE}")
    yield _rule("[yY]", f"([yY]{_APOSTROPHE})[{_LETTER}]")
    yield _rule("['’\x92&]", f"({_CONTRACTED})[^A-Za-z]", _straight)
    yield _rule("['’\x92&]", f"{_APOSTROPHE}(?i:em|till?|cause|n{_APOSTROPHE}|n)")
    yield _rule("'", "('[tT])(?i:is|was)")
    yield _rule("['’\x92&]", f"{_APOSTROPHE}[2-9]0[sS]|({_APOSTROPHE}[0-9][0-9]){_BLANK}")


def _web() -> Iterator[Rule]:
    address = r'[^ \t\n"<>|(){}\xa0]'
    label = r'[^ \t\n"<>|(){}\xa0.]'
    domain = rf"@(?:{label}++\.)*{label}++(?:>|&(?i:gt);)?"
    yield _rule("[A-Za-z0-9]", f"[A-Za-z0-9]{address}*{domain}", reach=f"{address}*+")
    opened = "(?:<|&(?i:lt);)"
    yield _rule("[<&]", f"{opened}[A-Za-z0-9]{address}*{domain}", reach=f"{opened}[A-Za-z0-9]{address}*+|.")
    yield _rule("@", "@[A-Za-z_][A-Za-z0-9_]*+")
    yield _rule("#", f"#{_IN_WORD}++")
    yield _rule("[hH]", r'(?i:https?)://[^ \t\n"<>|(){}]+[^ \t\n"<>|(){}.!?,-]')
    path = r'/[^ \t\n"<>|()]+[^ \t\n"<>|(){}.!?,-]'
    part = r'[^ \t\n"<>|(){}.!?,]++\.'
    yield _rule(
        "[wW]",
        rf"[wW]{{3}}\.(?:(?:{part})+?[A-Za-z]{{2,4}}{path}|(?:{part})+[A-Za-z]{{2,4}})",
        reach=rf"[wW]{{3}}\.(?:{part})*+",
    )
    # What a host may hold is what the reference lets it hold: "%a.com" and "½a.com", but no digit and no capital.
    host = r"""[^ \t\n!"$'(),-`{|}]"""
    yield _rule(host, rf"(?:{host}++\.)+(?i:com|edu|net|org)(?:{path})?", reach=rf"{host}++(?:\.{host}++)*+")


def _numbers() -> Iterator[Rule]:
    yield _rule(f"[{_DIGIT}]", f"[{_DIGIT}]{{1,2}}[-/][{_DIGIT}]{{1,2}}[-/][{_DIGIT}]{{2,4}}")
    separator = "[.,:\xad٫٬]"
    yield _rule(f"[-+{_DIGIT}.,:\xad٫٬]", f"[-+]?{separator}?[{_DIGIT}]++(?:{separator}[{_DIGIT}]++)*+", _plain)
    few = f"[{_DIGIT}]{{1,4}}"
    yield _rule(f"[{_DIGIT}]", rf"(?:{few}[- \xa0])?{few}(?:\\?/|⁄){few}", _tied)
    area = r"\([0-9]{2,3}\)[ \xa0]?|\+?[0-9]{2,4}[- \xa0](?:[0-9]{2,4}[- \xa0])?"
    yield _rule(r"[(+0-9]", rf"(?:{area})[0-9]{{3,4}}[- \xa0]?[0-9]{{3,5}}", lambda text: _tied(*_escaped(text)))


def _acronyms() -> Iterator[Rule]:
    """Letters with full stops; where another sentence begins, the last stop of an acronym is the sentence's as well."""
    yield _rule("[A-Za-z]", _ACRONYM)
    pairs = r"(?i:(?:canada|eu|japan|korean|non|sino)-u\.s\.|u\.s\.-u\.(?:k|s\.s\.r)\.)"
    opener = rf"(?:M[rRsS]\.|{_alternatives(OPENERS, keep=1)}|{_TAG}){_BLANK}"
    for ending, making in ((f"({_ACRONYM}|{pairs}){_BLANK}++", _ended), (rf"([A-Za-z])\.{_BLANK}++", None)):
        yield _rule("[A-Za-z]", f"{ending}{opener}", making)
        yield _rule("[A-Za-z]", f"{ending}{_DECLARED}>{_BLANK}", making, reach=f"{ending}{_DECLARED}")
    yield _rule("[A-Za-z]", r"[A-Za-z]\.")


def _abbreviations() -> Iterator[Rule]:
    limited = "[pP]?[pP][tT][ey][sS]?"
    abbreviation = rf"(?:{_alternatives(ENDINGS)}|{_alternatives(STATES, keep=1)}|{limited}|(?i:ph|ed)\.[dD])"
    ending = rf"({abbreviation}\.){_BLANK}"
    yield _rule("[A-Za-z]", rf"{ending}(?:[A-Z{CAPITAL} \t\n\xa0\x85{SPACE}]|{_TAG})", _ended)
    yield _rule("[A-Za-z]", f"{ending}{_DECLARED}>", _ended, reach=f"{ending}{_DECLARED}")
    yield _rule("[A-Za-z]", rf"({abbreviation}\.)(?s:..)")
    yield from _dotted()
    # Near the end of the text: the full stop is read twice, once with the abbreviation and once on its own.
    yield _rule("[A-Za-z]", rf"({abbreviation})\.", lambda text: (text + ".",))
    yield _rule("[A-Za-z]", rf"(?:{_alternatives(TITLES)}|[mM][ft][gG])\.")
    yield _rule("[A-Za-z]", rf"({_alternatives(BEFORE_NUMBERS)}\.){_BLANK}?[{_DIGIT}]")
    word = f"{_WORD}|{_COMPOUND}|{_FIRMS}"
    yield _rule(_LATER_IN_WORD, rf"((?:{word})\.)[,;:、]", _plain)
    yield _rule("[A-Za-z0-9]", rf"({_DOTTED_COMPOUND}\.)[,;:、]", _plain, reach=_DOTTED_RUN)


def _dotted() -> Iterator[Rule]:
    """Words with dots before a hyphen, "1,000-year", "St.-Louis", "non-U.S.", and names of files."""
    yield _rule("[A-Za-z0-9]", _DOTTED_COMPOUND, _plain, reach=_DOTTED_RUN)
    name = rf"{_LATER_IN_WORD}+(?:\.{_LATER_IN_WORD}+)*"
    yield _rule(
        _LATER_IN_WORD,
        rf"({name}\.{_alternatives(_EXTENSIONS)})[ \t\n\xa0.?!,{SPACE}]",
        reach=name,
    )


_EXTENSIONS = word_set(
    """
    bat bmp c cgi class cpp dll doc docx exe gif gz h htm html jar java jpeg jpg mov mp3 pdf php pl png ppt ps py sql
    tar txt wav x xml zip
    """
)


def _quotes() -> Iterator[Rule]:
    yield _rule("[`‘’‚‛“”„‟‹›«»\x91-\x94]", "[`‘’‚‛“”„‟‹›«»\x91-\x94]{1,2}", _directed)
    yield _rule("'", "''")
    yield _rule("'", "(')[A-Za-z][^ \t\n\xa0]", lambda _: ("`",))
    yield _rule("['’\x92&]", _CONTRACTED, _straight)
    yield _rule("['&]", "'|&(?i:apos);", lambda text: ("'" if text == "&apos;" else text,))
    yield _rule('["&]', '("|&(?i:quot);)[A-Za-z0-9$]', lambda text: ("``" if text in _DOUBLE else text,))
    yield _rule('["&]', '"|&(?i:quot);', lambda text: ("''" if text in _DOUBLE else text,))


_DOUBLE = ('"', "&quot;")


def _punctuation() -> Iterator[Rule]:
    yield _rule("[.…\x85]", r"\.{3,5}|\.(?:[ \xa0]\.){2,4}|…|\x85", lambda _: ("...",))
    yield _rule("[-–—―\x96\x97&]", "-{2,4}|[–—―\x96\x97]|&(?i:[mn]dash);", lambda _: ("--",))
    yield _rule("-", "-{5,}+")
    eye = "[-'=x<>^~]"
    yield _rule("[-'=x<>^~(]", rf"{eye}_{eye}|\((?:{eye}[_.]?{eye}|['=x<>^~]-['=x<>^~`])\)", _escaped)
    yield _rule("[<>:;=]", r"([<>]?[:;=][-o*']?[()DPdpO\\{@|\[\]])[^A-Za-z0-9]", _escaped)
    yield _rule(r"[!?*\\_#@₀-₉⁰¹²³⁴-⁹]", r"[!?]++|\*++|(?:\\\*)++|_++|#++|@++|[₀-₉]++|[⁰¹²³⁴-⁹]++")
    yield _rule("[<>]", "<<|>>")
    yield _rule(r"[][(){}]", r"[][(){}]", lambda text: (_BRACKETS[text],))
    yield _rule("[¢£¤€₠\x80¼½¾⅓⅔]", "[¢£¤€₠\x80¼½¾⅓⅔]", lambda text: (_WRITTEN_OUT[text],))
    yield _rule("&", "&(?i:amp);", lambda _: ("&",))
    yield _rule("&", "&(?i:lt);", lambda _: ("<",))
    yield _rule("&", "&(?i:gt);", lambda _: (">",))
    yield _rule("&", "&(?i:nbsp);", lambda _: ())
    yield _rule("&", "&#[0-9]++;")
    yield _rule(f"[!-/:-@[-`{{-~{SYMBOL}⁄、]", f"[!-/:-@[-`{{-~{SYMBOL}⁄、]")


_BRACKETS = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}
_WRITTEN_OUT = {"¢": "cents", "£": "#", "¼": "1/4", "½": "1/2", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"} | dict.fromkeys(
    "¤€₠\x80", "$"
)
_STRAIGHT = str.maketrans({"’": "'", "\x92": "'", "‘": "`", "‛": "`", "\x91": "`"})
_DIRECTED = str.maketrans(
    {
        **dict.fromkeys("‘‛‹\x91", "`"),
        **dict.fromkeys("’›\x92", "'"),
        **dict.fromkeys("“«\x93", "``"),
        **dict.fromkeys("”»\x94", "''"),
    }
)
_ESCAPED = str.maketrans({"(": "-LRB-", ")": "-RRB-"})


def _plain(text: str) -> Sequence[str]:
    """The word without soft hyphens, unless there is nothing else."""
    return (text.replace("\xad", "") or "-",)


def _ended(text: str) -> Sequence[str]:
    return (text, ".")


def _straight(text: str) -> Sequence[str]:
    return (text.translate(_STRAIGHT).replace("&apos;", "'"),)


def _directed(text: str) -> Sequence[str]:
    return (text.translate(_DIRECTED),)


def _escaped(text: str) -> Sequence[str]:
    return (text.translate(_ESCAPED),)


def _tied(text: str) -> Sequence[str]:
    """The text with its spaces made such that they do not part it."""
    return (text.replace(" ", "\xa0"),)


def _alternatives(words: Iterable[str], keep: int = 0) -> str:
    """A pattern for any of the words, in any case but for the first `keep` letters; the longest is tried first."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    if not keep:
        return f"(?i:{'|'.join(longest_first)})"
    return "(?:" + "|".join(f"{word[:keep]}(?i:{word[keep:]})" for word in longest_first) + ")"
