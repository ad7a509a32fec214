"""
WHO does the work? One process, or as many as joblib is told.
"""

from .sharing import check_n_jobs, share_out

__all__ = ["check_n_jobs", "share_out"]
