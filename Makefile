# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

PYTHON ?= python3

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help venv

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: ## everything the other targets run in, below .build/ (they call it themselves)
	@$(PYTHON) tools/bootstrap.py main
