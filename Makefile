# Each target sets up what it needs, in a virtual environment of its own; a
# second call installs nothing. `make PYTHON=/path/to/python3.11 …` overrides
# the choice of Python.

MX_PYTHONS = 3.11 3.10
TORCH_PYTHONS = 3.11 3.10 3.12 3.13
# A process for each core; the tests of one file share what they train.
parallel = --numprocesses auto --dist loadfile

.PHONY: help demo test test-next lint bench bench-mx bench-torch clean
help:
	@echo "make demo       the paper's Figure 1: an MLP, plain and with LAI; draws demo.png"
	@echo "make test       all tests, MXNet and PyTorch (gluonts 0.16, numpy 1.23)"
	@echo "make test-next  the tests without MXNet (gluonts 0.17, numpy 2)"
	@echo "make lint       black, ruff, mypy"
	@echo "make bench      the benchmarks, beside other libraries"
	@echo "make bench-mx   the benchmarks of training on MXNet; bench-torch: on PyTorch"
	@echo "make clean      remove the virtual environments"

demo: $(firstword $(wildcard .venv/.with-test) .venv/.with-demo)
	@.venv/bin/gluonts-lai demo

test: .venv/.with-test
	@.venv/bin/python -m pytest $(parallel)

test-next: .venv-next/.with-test
	@.venv-next/bin/python -m pytest $(parallel)

lint: .venv/.with-test
	@.venv/bin/black --check --quiet . || { .venv/bin/black --diff --quiet .; exit 1; }
	@.venv/bin/ruff check --quiet .
	@.venv/bin/mypy

bench: .venv-bench/.with-bench
	@.venv-bench/bin/python benchmarks/indicator_speed.py

bench-mx bench-torch: bench-%: .venv/.with-test
	@.venv/bin/python benchmarks/figure1.py --backend $*
	@.venv/bin/python benchmarks/no_runaway.py --backend $*
	@.venv/bin/python benchmarks/training_cost.py --backend $*
	@.venv/bin/python benchmarks/training_cost.py --backend $* --memory
	@.venv/bin/python benchmarks/training_cost.py --backend $* --e-step
	@.venv/bin/python benchmarks/detection_quality.py --backend $*
	@.venv/bin/python benchmarks/streaming_speed.py --backend $*

clean:
	rm -rf .venv .venv-next .venv-bench

.venv/.with-demo: extras = mxnet,plot
.venv/.with-test: extras = mxnet,torch,plot,test,test-gluonts,test-models,lint
.venv-next/.with-test: extras = torch,plot,test,test-models
.venv-bench/.with-bench: extras = torch,plot,bench

.venv/.with-%: .venv/.made setup.py constraints.txt
	$(install)

.venv-next/.with-%: .venv-next/.made setup.py constraints-next.txt
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

.venv-next/.made .venv-bench/.made: %/.made:
	@sh .ci/venv $* "$(TORCH_PYTHONS)" "PyTorch" "$(PYTHON)"
