"""
Files as users have them, and what is read from them.
"""

import pandas as pd

from gluonts_lai.files import read_series


def hours(num_rows, start="2024-01-01", step="h"):
    """Lines of a time and a value: 0.5, 1.5 and so on."""
    times = pd.date_range(start, periods=num_rows, freq=step)
    return "".join(f"{time},{i}.5\n" for i, time in enumerate(times))


def write(folder, content, name="pump.csv"):
    path = folder / name
    if isinstance(content, pd.DataFrame):
        content.to_parquet(path)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    else:
        path.write_bytes(content)
    return path


def read(folder, content, name="pump.csv", **options):
    return read_series(write(folder, content, name), **options)


def targets(file):
    """The values of each series, by its name."""
    return {e["item_id"]: e["target"].tolist() for e in file.entries}


def starts(file):
    return {e["item_id"]: str(e["start"]) for e in file.entries}
