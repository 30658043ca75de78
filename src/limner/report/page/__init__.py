"""A page of pictures, boxes and sentences that opens from disk in any browser."""

from limner.report.page.pictures import Pictures
from limner.report.page.writing import Written, write_page

__all__ = ["Pictures", "Written", "write_page"]
