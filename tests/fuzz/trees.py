"""
JSON, and JSON in which something was changed.
"""

import copy

from hypothesis import strategies as st

ODD = [
    None,
    True,
    0,
    -1,
    1e308,
    10**15,
    10**400,
    float("nan"),
    float("inf"),
    "",
    "nan",
    "pump",
    "1",
    "\0",
    "\ud800",
    [],
    {},
    [[]],
    [None],
    {"__kind__": "instance", "class": "os.getcwd"},
    {"__kind__": "type", "class": "builtins.int"},
    {"__kind__": "instance", "class": "builtins.tuple", "args": [[1]]},
    {"period": "2024-01-01", "freq": "h"},
    {"period": "soon", "freq": "0h"},
]

leaves = st.one_of(
    st.sampled_from(ODD),
    st.integers(-3, 60),
    st.floats(),
    st.text(max_size=4),
)
trees = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)


def places(tree, place=()):
    """Where anything stands in some JSON."""
    yield place
    inner = []
    if isinstance(tree, dict):
        inner = list(tree.items())
    elif isinstance(tree, list):
        inner = list(enumerate(tree[:3]))  # others are alike
    for key, below in inner:
        yield from places(below, (*place, key))


@st.composite
def changed(draw, tree):
    """Some JSON, of which a few nodes are something else."""
    tree = copy.deepcopy(tree)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(list(places(tree))))
        # A copy: the next change may be to what is odd in this one.
        node = copy.deepcopy(draw(st.none() | trees))
        tree = put(tree, place, node, draw(st.booleans()))
    return tree


def put(tree, place, node, is_lost):
    """The same JSON with another node, or without it."""
    if not place:
        return node
    around = tree
    for key in place[:-1]:
        around = around[key]
    if is_lost:
        del around[place[-1]]
    else:
        around[place[-1]] = node
    return tree
