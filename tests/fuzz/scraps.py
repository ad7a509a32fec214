"""
Bytes in which something was changed.
"""

from hypothesis import strategies as st

SCRAPS = [
    b"\0",
    b"\xff",
    b"\n",
    b"\r",
    b'"',
    b",",
    b";",
    b"\t",
    b"-",
    b"e400",
    b"9" * 30,
    b"inf",
    b"nan",
    b"NaT",
    b"null",
    b"2024-02-30",
    b"9999-01-01",
    b"1677-09-21 00:12:43",
    b"2262-04-11 23:47:17",
    b"2024-01-01T00:00:00+25:00",
    b"+02:00",
    b"[",
    b"{",
    b"item_id",
    b"timestamp",
    b"label",
    "é\u2028".encode(),
]


@st.composite
def changed(draw, content):
    """Some bytes, of which a few are lost, doubled or something else."""
    scraps = st.sampled_from(SCRAPS) | st.binary(max_size=6)
    for _ in range(draw(st.integers(1, 4))):
        size = len(content)
        begin = draw(st.integers(0, size))
        end = min(size, begin + draw(st.sampled_from([0, 1, 2, 8, 40, size])))
        what = draw(st.sampled_from(["replace", "double", "cut"]))
        middle = draw(scraps) if what == "replace" else b""
        if what == "double":
            middle = content[begin:end] * 2
        content = content[:begin] + middle + content[end:]
        content = content[:20_000]
    return content
