# Each target sets up what it needs, in a virtual environment of its own; a
# second call installs nothing. `make PYTHON=/path/to/python3.11 …` overrides
# the choice of Python.

MX_PYTHONS = 3.11 3.10
TORCH_PYTHONS = 3.11 3.10 3.12 3.13
# A process for each core; the tests of one file share what they train.
parallel = --numprocesses auto --dist loadfile

.PHONY: help demo test test-next test-scale fuzz lint notebooks bench bench-mx bench-torch clean
help:
	@echo "make demo       the paper's Figure 1: an MLP, plain and with LAI; draws demo.png"
	@echo "make test       all tests, MXNet and PyTorch (gluonts 0.16, numpy 1.23)"
	@echo "make test-next  the tests without MXNet (gluonts 0.17, numpy 2)"
	@echo "make test-scale the tests of engines: loky, Dask, Ray, Spark"
	@echo "make fuzz       data, states, folders and files made up to do harm, for some minutes"
	@echo "make lint       black, ruff, mypy"
	@echo "make notebooks  run the notebooks anew and keep what they show (GLUONTS_LAI_DATA=FOLDER)"
	@echo "make bench      the quick benchmarks, beside other libraries (GLUONTS_LAI_DATA=FOLDER)"
	@echo "make bench-mx   the benchmarks of training on MXNet; bench-torch: on PyTorch"
	@echo "make clean      remove the virtual environments"

demo: $(firstword $(wildcard .venv/.with-test) .venv/.with-demo)
	@.venv/bin/gluonts-lai demo

test: .venv/.with-test
	@sh .ci/browser
	@.venv/bin/python -m pytest $(parallel)

test-next: .venv-next/.with-test
	@sh .ci/browser
	@.venv-next/bin/python -m pytest $(parallel)

# One process: each engine has two workers of its own.
test-scale: .venv-scale/.with-test-scale
	@sh .ci/java
	@.venv-scale/bin/python -m pytest tests/scale

# Other examples each time, so many times as many as among the tests.
fuzz: .venv/.with-test
	@GLUONTS_LAI_FUZZ=90 .venv/bin/python -m pytest $(parallel) tests/fuzz

lint: .venv/.with-test
	@.venv/bin/black --check --quiet . || { .venv/bin/black --diff --quiet .; exit 1; }
	@.venv/bin/ruff check --quiet .
	@.venv/bin/mypy

notebooks: .venv/.with-test
	@.venv/bin/python notebooks/execute.py notebooks/*.ipynb

# Tables at small settings, a few minutes each. Without --quick each script
# takes as long as benchmarks/README.md says.
quick = --quick --results results/quick
bench: python = .venv-bench/bin/python
bench: .venv-bench/.with-bench
	@$(python) -m pytest -q -p no:cacheprovider tests/ev/test_ranges.py
	@$(python) benchmarks/indicator_speed.py
	@$(python) benchmarks/paper.py figure1 --quick
ifdef GLUONTS_LAI_DATA
	@$(python) benchmarks/paper.py table1 $(quick)
	@$(python) benchmarks/paper.py table2 $(quick)
	@$(python) benchmarks/paper.py table3 $(quick)
	@$(python) benchmarks/rivals.py forecasting $(quick)
	@$(python) benchmarks/rivals.py detection $(quick)
	@$(python) benchmarks/when_it_helps.py $(quick)
else
	@echo "Set GLUONTS_LAI_DATA to a folder with electricity/ and nab/ for the rest."
endif

bench-mx bench-torch: bench-%: .venv/.with-test
	@.venv/bin/python benchmarks/paper.py figure1 --backend $*
	@.venv/bin/python benchmarks/no_runaway.py --backend $*
	@.venv/bin/python benchmarks/training_cost.py --backend $*
	@.venv/bin/python benchmarks/training_cost.py --backend $* --memory
	@.venv/bin/python benchmarks/training_cost.py --backend $* --e-step
	@.venv/bin/python benchmarks/detection_quality.py --backend $*
	@.venv/bin/python benchmarks/streaming_speed.py --backend $*

clean:
	rm -rf .venv .venv-next .venv-scale .venv-bench

tested = plot,report,parquet,test,test-gluonts,test-models,test-notebooks,test-report
.venv/.with-demo: extras = mxnet,torch,plot,report
.venv/.with-test: extras = mxnet,torch,$(tested),lint
.venv-next/.with-test: extras = torch,$(tested)
.venv-scale/.with-test-scale: extras = torch,test,test-scale
.venv-bench/.with-bench: extras = torch,plot,test,bench

.venv/.with-%: .venv/.made setup.py constraints.txt
	$(install)

.venv-next/.with-%: .venv-next/.made setup.py constraints-next.txt
	$(install)

.venv-scale/.with-%: .venv-scale/.made setup.py constraints-next.txt
	$(install)

.venv-bench/.with-%: .venv-bench/.made setup.py constraints-next.txt
	$(install)

define install
@echo "Installing gluonts-lai[$(extras)] into $(@D), once; this takes a few minutes …"
@$(@D)/bin/python -m pip install --quiet --constraint $(lastword $^) --editable '.[$(extras)]'
@touch $@
endef

.venv/.made:
	@sh .ci/venv .venv "$(MX_PYTHONS)" "MXNet" "$(PYTHON)"

.venv-next/.made .venv-scale/.made .venv-bench/.made: %/.made:
	@sh .ci/venv $* "$(TORCH_PYTHONS)" "PyTorch" "$(PYTHON)"
