# Copyright: Edgeworks contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

PYTHON := $(shell sh tools/find-python.sh)
ESTATE := demo
FILES :=
ARGS :=

# What runs inside: this working tree as the collection it is, and nothing of the caller's own settings.
INSIDE := PYTHONPATH="$(CURDIR)/.build/collections" ANSIBLE_COLLECTIONS_PATH="$(CURDIR)/.build/collections" \
	ANSIBLE_HOME="$(CURDIR)/.build/ansible-home" PATH="$(CURDIR)/.build/venv/bin:$$PATH"
RUN := $(INSIDE) .build/venv/bin/python

.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
.PHONY: help demo test test-long lint e2e conformance bench pytest lab-up lab-down \
	lab-openstack-up lab-openstack-down venv gates format findings lock changelog clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-20s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo "  make lint-NAME            one gate: house findings ruff format shell mypy sanity ansible-lint docs changelog galaxy"

demo: venv ## twelve small clusters on this machine, and what is pending on their load balancers
	@$(RUN) -m tests.lab demo

test: venv gates ## everything that must pass: the gates of lint, then all tests
	@$(RUN) tools/parts.py test

test-long: venv ## the tests that take minutes
	@$(RUN) -m pytest -m long $(ARGS)

lint: venv gates ## the gates alone
	@$(RUN) tools/parts.py lint

lint-%: venv gates
	@$(RUN) tools/parts.py $*

e2e: ## the scenarios on real Kubernetes servers (the real tier of the lab)
	@echo "make e2e runs the scenarios of make test on etcd, kube-apiserver and the AWS cloud controller."
	@echo "e2e: the real tier does not exist yet; nothing was run"

conformance: venv ## the model against recorded behaviour: make conformance FILES="a.json b.json"
	@$(RUN) -m tests.conformance $(FILES)

bench: venv ## how fast it is here
	@$(RUN) -m tests.bench $(ARGS)

pytest: venv ## some tests: make pytest ARGS="tests/unit -k plan"
	@$(RUN) -m pytest $(ARGS)

lab-up: venv ## start the lab and leave it running: make lab-up ESTATE=demo
	@$(RUN) -m tests.lab up --estate $(ESTATE)

lab-down: venv ## stop what lab-up started
	@$(RUN) -m tests.lab down

lab-openstack-up: venv ## start Keystone, Neutron and Octavia; the first time installs them
	@$(RUN) -m tests.lab.openstack up

lab-openstack-down: venv ## stop what lab-openstack-up started
	@$(RUN) -m tests.lab.openstack down

venv: ## what the other targets run in, below .build/ (they call it themselves)
	@$(PYTHON) tools/bootstrap.py main

gates: venv
	@$(PYTHON) tools/bootstrap.py gates

format: gates ## let ruff format and mend the Python files
	@.build/gates/bin/ruff format .
	@.build/gates/bin/ruff check --fix .

findings: venv ## write docs/findings.md anew from tools/findings.yml
	@$(RUN) tools/findings.py

lock: gates ## write requirements/*.txt anew from requirements/*.in, with today's releases
	@PYTHON="$(PYTHON)" sh tools/lock.sh

changelog: gates ## write CHANGELOG.md anew, with the plugins as they are
	@PATH="$(CURDIR)/.build/gates/bin:$$PATH" ANSIBLE_COLLECTIONS_PATH="$(CURDIR)/.build/collections:$(CURDIR)/.build/sanity" \
		.build/gates/bin/antsibull-changelog generate --reload-plugins

clean: ## stop the labs and remove everything that make put here
	@if [ -e .build/venv/.made-from ]; then $(RUN) -m tests.lab down; $(RUN) -m tests.lab.openstack down; fi >/dev/null 2>&1 || true
	@rm -rf .build tests/output
