# `make X` is `python3 dev.py X`.
PYTHON ?= python3
.PHONY: book pdf epub serve lab test notebooks bench clean
book pdf epub serve lab test notebooks bench clean:
	@$(PYTHON) dev.py $@
