"""A page of caption scores that opens from disk: values with intervals, and every image to look at."""

from limner.report.captions_page.writing import write_captions_page

__all__ = ["write_captions_page"]
