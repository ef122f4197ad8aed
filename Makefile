# Before BERT. Two commands: `make lab` to learn, `make test` to check everything.
# They need git, make and Python 3.11, 3.12 or 3.13, and set up the rest in .venv.

PYTHON   =#  make lab PYTHON=python3.12                which Python builds .venv
PIP_ARGS =#  make lab PIP_ARGS='--find-links FOLDER'   more words for pip install
SLIDES_ARGS =#  make slides SLIDES_ARGS='08 --pdf'     more words for python -m autograde slides
LAB_ARGS =#  make lab LAB_ARGS='--no-open --port 9000' more words for python -m autograde lab

RUN = .venv/bin/python -m
CANDIDATES = $(if $(PYTHON),"$(PYTHON)",python3 python3.13 python3.12 python3.11 python)
COURSE = '.[course]'
COURSE_AND_SLIDES = '.[course,slides]'
COURSE_AND_BOOK = '.[course,book]'
COURSE_AND_TESTS = '.[course,test]'
SUPPORTED = import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
# Each test on one thread; tests/conftest.py says how many workers, and what stays together. Which of
# the long tests run, and within what time, tests/economy/selection.py says.
PYTEST = OMP_NUM_THREADS=1 $(RUN) pytest -q -n auto --no-loadscope-reorder

help:
	@echo "make lab       copy the lessons to work/ and open JupyterLab there"
	@echo "make slides    make the decks for a lecture, in work/slides/"
	@echo "make test      check everything that a change usually breaks"
	@echo "make test-slow check what takes long: what changed since it was green, and some of the rest"
	@echo "make test-stale check all that changed since it was green, and write the record of it"
	@echo "make test-all  check everything, and write the record"
	@echo "make book      make a site of all lessons and pages, to read without running anything"
	@echo "make clean     remove .venv and caches; work/ stays as it is"
	@echo "What each runs, and how long it takes, stands in docs/what_was_run.md."

book: .venv/book.stamp
	@$(RUN) autograde book

lab: .venv/lab.stamp
	@new=; if test -f .venv/new; then rm .venv/new; new='--after 2'; fi; \
	$(RUN) autograde lab $$new $(LAB_ARGS)

slides: .venv/slides.stamp
	@$(RUN) autograde slides $(SLIDES_ARGS)

define checks
	@echo "1/4 Style"
	@$(RUN) ruff check -q . && $(RUN) ruff format -q --check .
	@echo "2/4 Types"
	@$(RUN) mypy -n 2
	@echo "3/4 Notebooks: each must be what its source gives"
	@$(RUN) autograde build --check
	@echo "4/4 Tests, a dot for each; docs/what_was_run.md says how long they take"
endef

test: .venv/test.stamp
	$(checks)
	@$(PYTEST) --items quick

test-slow: .venv/test.stamp
	@echo "Tests that take long, a dot for each"
	@$(PYTEST) --items slow -m slow

test-stale: .venv/test.stamp
	@echo "Tests of what changed since they were green, a dot for each; tests/green.txt keeps which passed"
	@$(PYTEST) --items stale -m by_reach

test-all: .venv/test.stamp
	$(checks)
	@$(PYTEST) --items all -m ""

# Runs pip with its talk in a file, and a dot every three seconds as a sign of life.
define install
@printf '    '; begun=$$(date +%s); \
while sleep 3 >/dev/null 2>&1; do kill -0 $$$$ 2>/dev/null || exit; printf .; done & dots=$$!; \
$(RUN) pip --disable-pip-version-check install -c constraints.txt $(PIP_ARGS) -e $(1) \
  >.venv/pip.log 2>&1; failed=$$?; kill $$dots; \
if test $$failed = 0; then echo " done, $$(($$(date +%s) - begun)) s"; exit; fi; echo; \
grep '^ERROR' .venv/pip.log | tail -n 3; \
if grep -q 'after connection broken by' .venv/pip.log; then \
  echo "No package index answered: there is no network here, or a proxy or firewall is in the way."; \
  echo "The section Offline of docs/installing.md tells how to bring the packages along."; \
elif grep -q 'No space left on device' .venv/pip.log; then \
  echo "The disk is full. The packages need about 2 GB; make room, then make lab again."; \
else echo "The packages could not be installed. The lines above say why; more is in .venv/pip.log."; \
fi; exit 1
endef

# A stamp holds the folder that .venv was made in: a course that was moved gets a new .venv.
ifneq ($(shell cat .venv/lab.stamp 2>/dev/null),$(CURDIR))
MOVED = moved
endif

.venv/lab.stamp: pyproject.toml constraints.txt $(MOVED)
	@found=; for p in $(CANDIDATES); do \
	  if "$$p" -c '$(SUPPORTED)' >/dev/null 2>&1; then found=$$p; break; fi; \
	done; \
	if test -z "$$found" && command -v uv >/dev/null; then \
	  echo "No Python 3.11, 3.12 or 3.13 is here; uv fetches one"; \
	  uv python install --quiet 3.13 && found=$$(uv python find --system 3.13); \
	fi; \
	if test -z "$$found"; then \
	  echo "The course needs Python 3.11, 3.12 or 3.13. Looked for:" $(CANDIDATES)"."; \
	  echo "Install one beside your own (sudo dnf install python3.13, brew install python@3.13), or uv, with which make lab fetches it; then make lab again. Or take the conda route of docs/installing.md."; \
	  exit 1; \
	fi; \
	if ! "$$found" -c 'import venv, ensurepip' >/dev/null 2>&1; then \
	  echo "$$found has no venv module. On Debian and Ubuntu: sudo apt-get install python3-venv. Then make lab again."; \
	  exit 1; \
	fi; \
	if test -f .venv/lab.stamp && test "$$(cat .venv/lab.stamp)" != "$$(pwd -P)"; then rm -rf .venv; fi; \
	if { .venv/bin/python -c '$(SUPPORTED)' && $(RUN) pip --version; } >/dev/null 2>&1; then \
	  echo "1/4 .venv is there, with $$(.venv/bin/python -V)"; \
	else \
	  echo "1/4 Making .venv with $$("$$found" -V)"; "$$found" -m venv --clear .venv || exit 1; \
	fi
	@echo "2/4 Installing PyTorch and about 140 packages: 1 to 5 minutes, a dot every 3 seconds"
	$(call install,$(COURSE))
	@pwd -P > $@; touch .venv/new

.venv/slides.stamp: .venv/lab.stamp
	@echo "Installing what the decks need, a dot every 3 seconds"
	$(call install,$(COURSE_AND_SLIDES))
	@touch $@; rm -f .venv/new

.venv/test.stamp: .venv/lab.stamp
	@echo "Installing what the tests need, a dot every 3 seconds"
	$(call install,$(COURSE_AND_TESTS))
	@touch $@; rm -f .venv/new

.venv/book.stamp: .venv/lab.stamp
	@echo "Installing what the book needs, a dot every 3 seconds"
	$(call install,$(COURSE_AND_BOOK))
	@touch $@; rm -f .venv/new

clean:
	@rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .hypothesis build *.egg-info
	@echo "Removed .venv and caches. work/ stays as it is; make lab sets up again."

.PHONY: help lab book slides test test-slow test-stale test-all clean moved
