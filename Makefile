# The README's two commands are `make demo` and `make test`; `make help` lists the rest.

CARGO ?= cargo
WIREDYNO = target/release/wiredyno
# A Python of the tests' own, with the libraries that they compare with.
PYTHON = target/python/bin/python
PYTHON_LIBRARIES = cbor2 fastavro jsonschema msgpack pyarrow
# Everything is built with the one profile, so that tests compile nothing twice.
PROFILE = --release

.DEFAULT_GOAL := help
.PHONY: help demo build web lint test test-full bench-link deps-build deps-run deps-test clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: deps-run build ## install what is missing, build, run studies/demo.toml, print a table and the report's path
	$(WIREDYNO) run demo

build: web ## leave the program in target/release/wiredyno
	$(CARGO) build $(PROFILE) --locked --workspace

web: web/dist/report.js ## bundle the front end of the report

web/dist/report.js: deps-build web/package-lock.json $(wildcard web/*.mjs web/src/*.ts web/src/*/*.ts web/src/*.css)
	cd web && npm ci --silent --no-audit --no-fund && npm run --silent check && npm run --silent build

lint: web ## formatting and clippy, warnings as errors
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(PROFILE) --locked --workspace --all-targets -- -D warnings

test: deps-test web ## install what is missing and run all tests but the slow ones
	$(CARGO) fmt --all --check
	WIREDYNO_PYTHON=$(CURDIR)/$(PYTHON) $(CARGO) test $(PROFILE) --locked --workspace --no-fail-fast

test-full: deps-test web lint ## all tests, the slow ones too
	WIREDYNO_TEST_FULL=1 WIREDYNO_PYTHON=$(CURDIR)/$(PYTHON) $(CARGO) test $(PROFILE) --locked --workspace --no-fail-fast

deps-build:
	@scripts/need '!cargo=cargo' '!cc=gcc' '!node=nodejs' '!npm=npm'

deps-run: deps-build
	@scripts/need mosquitto=mosquitto

deps-test: deps-run
	@scripts/need ping=iputils-ping tshark=tshark chromium=chromium iperf3=iperf3 setpriv=util-linux \
		python3=python3-venv coap-client-notls=libcoap3-bin ip=iproute2 zstd=zstd
	@$(PYTHON) -c 'import cbor2, fastavro, jsonschema, msgpack, pyarrow' 2>/dev/null || { \
		echo "installing Python libraries into target/python: $(PYTHON_LIBRARIES)"; \
		python3 -m venv target/python && $(PYTHON) -m pip install --quiet $(PYTHON_LIBRARIES); } || \
		echo "no Python libraries ($(PYTHON_LIBRARIES)): tests that compare with them are ignored by name"

bench-link: build ## the link beside loopback, veth, iperf3 and models
	$(CARGO) bench --profile release --locked -p wiredyno-link --bench link

clean: ## take away what was built
	$(CARGO) clean
	rm -rf web/dist web/node_modules
