"""Pages and plots of results.

`write_page` makes the page of a corpus and of what systems say of it,
`write_captions_page` the page of caption scores, `write_localisation_page`
that of localisation: each one file that opens from disk. The plots of
statistics, benchmarks and experiments are in modules of their own, which
import matplotlib.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.report.pages.captions_page import write_captions_page
    from limner.report.pages.localisation_page import write_localisation_page
    from limner.report.pages.page_pictures import Pictures
    from limner.report.pages.show_page import Written, write_page

__getattr__, __dir__, __all__ = lazy_exports(__name__)
