"""People's judgements of captions: how far raters agree, and how well metrics follow them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.judgement.agreement import Agreement as Agreement
    from limner.score.judgement.agreement import AgreementReport as AgreementReport
    from limner.score.judgement.agreement import Ratings as Ratings
    from limner.score.judgement.agreement import agreement_report as agreement_report
    from limner.score.judgement.agreement import measure_agreement as measure_agreement
    from limner.score.judgement.correlation import Correlation as Correlation
    from limner.score.judgement.correlation import correlate as correlate
    from limner.score.judgement.judged_captions import JudgedSet as JudgedSet
    from limner.score.judgement.judged_captions import flickr8k as flickr8k
    from limner.score.judgement.judged_captions import judged_set as judged_set
    from limner.score.judgement.judgement_files import read_judgements as read_judgements
    from limner.score.judgement.judgement_files import write_judgements as write_judgements
    from limner.score.judgement.judgement_table import AgainstJudgements as AgainstJudgements
    from limner.score.judgement.judgements import Judgement as Judgement
    from limner.score.judgement.judgements import Judgements as Judgements
    from limner.score.judgement.judgements import Scale as Scale

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {
        "limner.score.judgement.agreement": [
            "Agreement",
            "AgreementReport",
            "Ratings",
            "agreement_report",
            "measure_agreement",
        ],
        "limner.score.judgement.correlation": ["Correlation", "correlate"],
        "limner.score.judgement.judged_captions": ["JudgedSet", "flickr8k", "judged_set"],
        "limner.score.judgement.judgement_files": ["read_judgements", "write_judgements"],
        "limner.score.judgement.judgement_table": ["AgainstJudgements"],
        "limner.score.judgement.judgements": ["Judgement", "Judgements", "Scale"],
    },
)
