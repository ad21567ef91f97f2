# `make X` is `python3 dev.py X`.
PYTHON ?= python3
.PHONY: book pdf epub serve lab test notebooks bench publish clean
book pdf epub serve lab test notebooks bench publish clean:
	@$(PYTHON) dev.py $@
