"""
What was found, as one page for a browser.

    from gluonts_lai.report import write_report

    write_report("report.html", predictor.detect(dataset), predictor)

The page ranks the series by what was found in them, draws the first ones, and
leads from each segment to its place in a chart. It holds all that it needs:
it opens without a network and can be sent as a file.
"""

from .writing import write_report

__all__ = ["write_report"]
