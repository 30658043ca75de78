"""People's judgements of captions: how far raters agree, and how well metrics follow them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.score.judgement.agreement import (
        Agreement,
        AgreementReport,
        Ratings,
        agreement_report,
        measure_agreement,
    )
    from limner.score.judgement.correlation import Correlation, correlate
    from limner.score.judgement.correlation_levels import LevelRow
    from limner.score.judgement.judged_captions import JudgedSet, flickr8k, judged_set
    from limner.score.judgement.judgement_files import read_judgements, write_judgements
    from limner.score.judgement.judgement_table import AgainstJudgements
    from limner.score.judgement.judgements import Judgement, Judgements, Scale
    from limner.score.judgement.threshold_kappa import ThresholdKappa

__getattr__, __dir__, __all__ = lazy_exports(__name__)
