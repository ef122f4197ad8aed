# Before BERT. Two commands: `make lab` to learn, `make test` to check everything.
# They need git, make and Python 3.11, 3.12 or 3.13, and set up the rest in .venv.

PYTHON   =#  make lab PYTHON=python3.12                which Python builds .venv
PIP_ARGS =#  make lab PIP_ARGS='--find-links FOLDER'   more words for pip install
LAB_ARGS =#  make lab LAB_ARGS='--no-open --port 9000' more words for python -m autograde lab

RUN = .venv/bin/python -m
CANDIDATES = $(if $(PYTHON),"$(PYTHON)",python3 python3.13 python3.12 python3.11 python)
SUPPORTED = import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PIP_INSTALL = $(RUN) pip --disable-pip-version-check --log .venv/pip.log install -c constraints.txt $(PIP_ARGS)
PIP_FAILED = { echo; \
	if grep -q 'after connection broken by' .venv/pip.log; then \
	  echo "No package index answered: there is no network here, or a proxy or firewall is in the way."; \
	  echo "The section Offline of README.md tells how to bring the packages along."; \
	else echo "The packages could not be installed. The last lines above say why; more is in .venv/pip.log."; \
	fi; exit 1; }

help:
	@echo "make lab    copy the lessons to work/ and open JupyterLab there"
	@echo "make test   run everything that the course's own checks run"
	@echo "make clean  remove .venv and caches; work/ stays as it is"

lab: .venv/lab.stamp
	@$(RUN) autograde lab $(LAB_ARGS)

test: .venv/test.stamp
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy
	$(RUN) autograde build --check
	$(RUN) pytest

# A stamp holds the folder that .venv was made in: a course that was moved gets a new .venv.
ifneq ($(shell cat .venv/lab.stamp 2>/dev/null),$(CURDIR))
MOVED = moved
endif

.venv/lab.stamp: pyproject.toml constraints.txt $(MOVED)
	@found=; for p in $(CANDIDATES); do \
	  if "$$p" -c '$(SUPPORTED)' >/dev/null 2>&1; then found=$$p; break; fi; \
	done; \
	if test -z "$$found"; then \
	  echo "The course needs Python 3.11, 3.12 or 3.13. Looked for:" $(CANDIDATES)"."; \
	  echo "Install one and name it, for example: make lab PYTHON=python3.12. Or take the conda route of README.md."; \
	  exit 1; \
	fi; \
	if ! "$$found" -c 'import venv, ensurepip' >/dev/null 2>&1; then \
	  echo "$$found has no venv module. On Debian and Ubuntu: sudo apt-get install python3-venv. Then make lab again."; \
	  exit 1; \
	fi; \
	if test -f .venv/lab.stamp && test "$$(cat .venv/lab.stamp)" != "$(CURDIR)"; then rm -rf .venv; fi; \
	if ! { .venv/bin/python -c '$(SUPPORTED)' && $(RUN) pip --version; } >/dev/null 2>&1; then \
	  echo "Making .venv with $$found"; "$$found" -m venv --clear .venv || exit 1; \
	fi
	@echo "Installing the course's packages into .venv: once, some minutes, most of it PyTorch."
	@rm -f .venv/pip.log; $(PIP_INSTALL) -e . || $(PIP_FAILED)
	@printf '%s\n' "$(CURDIR)" > $@

.venv/test.stamp: .venv/lab.stamp
	@rm -f .venv/pip.log; $(PIP_INSTALL) -q -e '.[test]' || $(PIP_FAILED)
	@touch $@

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

.PHONY: help lab test clean moved
