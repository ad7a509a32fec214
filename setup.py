from pathlib import Path

from setuptools import find_packages, setup

here = Path(__file__).parent
version = next(
    line.split('"')[1]
    for line in (here / "gluonts_lai/__init__.py").read_text().splitlines()
    if line.startswith("__version__")
)

# Lower bounds are tried by `make test`, upper bounds by `make test-next`:
# constraints.txt and constraints-next.txt pin the two ends. (gluonts is at
# 0.16.3 there; the tests passed on 0.16.2 when the bound was chosen.)
setup(
    name="gluonts-lai",
    version=version,
    description="Forecasters that find the anomalies in their training data",
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    packages=find_packages(include=["gluonts_lai", "gluonts_lai.*"]),
    package_data={
        "gluonts_lai": ["py.typed"],
        "gluonts_lai.report": ["page.css", "page.html", "page.js"],
    },
    python_requires=">=3.10,<3.14",
    install_requires=[
        "click>=8.1.7,<8.6",
        "gluonts>=0.16.2,<0.18",
        "joblib>=1.6.0,<1.7",
        "numba>=0.58.1,<0.69",
        "numpy>=1.23.5,<2.5",
        "scikit-learn>=1.3.2,<1.10",
        "scipy>=1.15.3,<1.18",
        "threadpoolctl>=3.7.0,<3.9",
    ],
    extras_require={
        # gluonts 0.17 has no such extra; it imports packaging undeclared.
        "mxnet": [
            'mxnet>=1.9.1,<2; python_version < "3.12"',
            'numpy<1.24; python_version < "3.12"',
            "packaging>=23.2,<27",
        ],
        # From 2.6 on, weights are read without code by default: GluonTS
        # 0.16.2 does not ask for it.
        "torch": ["gluonts[torch]", "torch>=2.6"],
        "plot": ["matplotlib>=3.7.5,<3.12"],
        "report": ["jinja2>=3.1.2,<3.2", "plotly>=6.0.0,<7.2"],
        "parquet": ["pyarrow>=17.0.0,<26.1"],
        "test": [
            "hypothesis>=6.100.0,<6.171",
            "pytest>=8,<10",
            "pytest-xdist>=3.8,<4",
        ],
        # For what of GluonTS is optional: its shell.
        "test-gluonts": ["flask>=3.1.3,<3.2", "waitress>=3.0.2,<3.1"],
        "test-notebooks": [
            "ipykernel>=6.29.0,<7.5",
            "nbclient>=0.10.0,<0.12",
            "nbformat>=5.10.0,<5.12",
        ],
        # Drives the browser that .ci/browser installs.
        "test-report": ["selenium>=4.20.0,<4.51"],
        # Engines for large tables; Spark runs on Java.
        "test-scale": [
            "dask[dataframe,distributed]>=2026.8.0,<2026.9",
            "pyspark>=4.3.0,<4.4",
            "ray[data]>=2.60.0,<2.61",
        ],
        # For what else GluonTS wraps: models that have no epochs.
        "test-models": [
            "prophet>=1.5,<1.6",
            "statsforecast>=1.7.8,<1.8",
            "xgboost>=1.7.6,<2",
        ],
        "lint": ["black==26.10.1", "mypy==2.4.1", "ruff==0.17.4"],
        # What there is beside us: chains, detectors, forecasters, metrics.
        "bench": [
            "darts>=0.48.1,<0.49",
            "dynamax>=1.0.3,<2",
            "hmmlearn>=0.3.3,<0.4",
            "neuralforecast>=3.3,<3.4",
            "pyod>=3.6.7,<3.7",
            "stumpy>=1.14.1,<1.15",
            "vus>=0.0.6,<0.1",
        ],
    },
    entry_points={"console_scripts": ["gluonts-lai=gluonts_lai.cli:main"]},
)
