# `make X` is `python3 dev.py X`.
PYTHON ?= python3
.PHONY: book serve lab test notebooks bench clean
book serve lab test notebooks bench clean:
	@$(PYTHON) dev.py $@
