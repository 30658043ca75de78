"""Words that keep their full stop, words that begin a sentence after one, and words that are two."""

from __future__ import annotations

from limner.text.lexicon import word_set

# Something follows them: "Mr.", "St.", "vs."; their full stop ends no sentence.
TITLES = word_set(
    """
    adj adm adv alex assoc asst atty attys ave brig capt cf cie cmdr col comdr cpl dept det dr drs elec ens ft gen gov
    govs hon insp invt jos lieut lt maj messrs mlle mme mr mrs ms msgr mt natl pfc ph pres prof profs pvt rep reps rev
    sen sens sfc sgt spc st ste supt supts treas vs wm
    """
)

# They may end a sentence: "etc.", "Inc.", months, days and states; then there is a full stop of the sentence too.
ENDINGS = word_set(
    """
    al ala apr ariz assn aug bhd bldg blvd bros calif co colo conn corp cos ct dak dec esq est etc ext feb fla fri ga
    inc ind intl jan jr jul jun kan kans ky ltd mar md mich minn mo mon mont neb nev nov oct okla penn plc rd rt sep
    sept seq sq sr sys tel tenn thu thurs tue tues univ va vt wed wis wisc wyo
    """
)

# Like titles, but not with a capital F or T.
MANUFACTURED = word_set("mfg mtg")

# Endings too, but not with a capital E or Y: "Pte.", "Pty.".
LIMITED = [f"{p}t{vowel}{s}" for p in ("p", "pp") for vowel in "ey" for s in ("", "s")]

# Endings with a capital only: "Ill." is Illinois, "ill." is not.
STATES = word_set("Ark Az Del Ill La Mass Miss Ore Pa Tex Wash")

# They keep their full stop before a number: "No. 5".
BEFORE_NUMBERS = word_set("art ca fig figs no nos op pp prop")

# After a single letter or an acronym with a full stop, these begin a new sentence; so do "Mr." and "Ms.".
OPENERS = word_set(
    """
    A About According Additionally After An As At But Earlier He Her Here However If In It Last Many More Now Once One
    Other Our She Since So Some Such That The Their Then There These They This We What When While Yet You
    """
)

# Words that are two tokens, the first of three letters.
PARTED = ("cannot", "gimme", "gonna", "gotta", "lemme", "wanna")

# Words whose full stop is, or may be, their own.
STOPPED = frozenset(
    word.lower() for words in (TITLES, MANUFACTURED, ENDINGS, LIMITED, STATES, BEFORE_NUMBERS) for word in words
)
