"""What every page, plot and notebook view shares: colours, tables, figures, documents. It knows nothing of images."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limner.lazy import lazy_exports

if TYPE_CHECKING:
    from limner.look.document import Document
    from limner.look.notebook import Rectangle, html_block, html_table, html_text, svg_frame
    from limner.look.tables import aligned, csv_text

__getattr__, __dir__, __all__ = lazy_exports(__name__)
