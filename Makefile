# Short names for the commands; `make help` lists them.
.DEFAULT_GOAL := help
PY := .venv/bin/python

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

demo:  ## set up and open the demo match
	sh scripts/demo

test:  ## set up and pass the tests (what CI runs)
	sh scripts/test

format:  ## put the code in the house's layout
	.venv/bin/ruff check --fix . && .venv/bin/ruff format .

acceptance:  ## the long checks: whole matches, storms, soak (by hand, before an issue is resolved)
	sh scripts/setup dev
	$(PY) -m pytest -m acceptance --timeout=0 -rs

bench:  ## the project's benchmarks
	sh scripts/setup dev
	.venv/bin/companion bench rules
	.venv/bin/companion bench read
	.venv/bin/companion bench dice
	.venv/bin/companion bench accuracy

sums:  ## after a change of models/: write the list of hashes that `companion doctor` checks
	cd models && sha256sum *.onnx > SHA256SUMS

.PHONY: help demo test format acceptance bench sums
