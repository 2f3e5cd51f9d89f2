# The README's two commands are `make demo` and `make test`; `make help` lists the rest.

CARGO ?= cargo
WIREDYNO = target/release/wiredyno
# A Python of the tests' own, with the libraries that they compare with.
PYTHON = target/python/bin/python
PYTHON_LIBRARIES = asn1tools cbor2 'confluent-kafka[avro,json,protobuf]' cyclonedds duckdb fastavro jsonschema msgpack protobuf pyarrow pycrate pymongo schemathesis thrift
# EXIficient behind a line protocol; maven takes the rest from its registry.
EXIFICIENT = crates/testing/testkit/oracles/exificient
# Cargo's options for the needs of codecs and transports, as their folders declare them: packages whose library is missing are not compiled or tested.
WITHOUT = $(shell scripts/needs without)
# Encryption that links a system library is tested if that is installed.
ENCRYPTED = $(shell scripts/needs encrypted)
# The server's queue uses SQLite: if the machine lacks its library with headers, it is compiled with the server.
SQLITE = $(shell pkg-config --exists 'sqlite3 >= 3.34.1' 2>/dev/null || echo --features wiredyno-server/sqlite-bundled)
TEST_ENVIRONMENT = WIREDYNO_PYTHON=$(CURDIR)/$(PYTHON) $(shell scripts/needs environment)
# Everything is built with the one profile, so that tests compile nothing twice.
PROFILE = --release

.DEFAULT_GOAL := help
.PHONY: help demo build install deb server dist broker docs docs-brokers docs-throughput docs-security docs-claims docs-interoperability web web-server lint test test-busy test-kubernetes test-sanitize test-full bench-link bench-codecs bench-load bench-generators bench-watchers bench-list soak-server bench-agents \
	bench-aa bench-planted bench-fixed bench-harness soak soak-all deps-build deps-run deps-test deps-lint clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z -]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: deps-run build ## install what is missing, build, run studies/demo.toml, print a table and the report's path
	@$(MOSQUITTO) || { \
		echo "mosquitto can't be had here: building an embedded broker, for a first look"; $(MAKE) --no-print-directory broker; }
	$(WIREDYNO) run demo

# Whether the default broker is installed.
MOSQUITTO = command -v mosquitto >/dev/null 2>&1 || test -x /usr/sbin/mosquitto || test -x /usr/local/sbin/mosquitto

build: web ## leave the program in target/release/wiredyno; runners are compiled when a command needs them
	$(CARGO) build $(PROFILE) --locked --workspace --bin wiredyno

# Where `make install` puts the program; DESTDIR goes before it.
PREFIX = /usr/local
install: build ## the program into $(PREFIX)/bin (PREFIX=folder, DESTDIR=root)
	install -D -m 755 target/release/wiredyno $(DESTDIR)$(PREFIX)/bin/wiredyno

deb: build ## a Debian package of the program in target/deb, for `apt install ./FILE` where nothing is compiled
	@scripts/deb $(WIREDYNO) target/deb

server: build web-server ## leave the web platform in target/release/wiredyno-server, for `wiredyno serve`
	$(CARGO) build $(PROFILE) --locked --workspace $(SQLITE) --bin wiredyno-server

broker: ## an MQTT broker beside the program, where mosquitto can't be had
	$(CARGO) build $(PROFILE) --locked --workspace --bin wiredyno-broker-rumqttd

web: web/dist/report.js ## bundle the front end of the report

# Types of the summary, which the check of the front end generates from the published schema.
WEB_TYPES = web/src/schema.d.ts
WEB_SOURCES = $(filter-out $(WEB_TYPES),$(wildcard web/*.json web/*.mjs web/src/*.ts web/src/*/*.ts web/src/*.css))

web/dist/report.js: docs/summary.schema.json $(WEB_SOURCES) | deps-build
	cd web && npm ci --silent --no-audit --no-fund && npm run --silent check && npm run --silent build

web-server: web/dist/server/index.html

# Types of the server's answers, which the check of its pages generates from its OpenAPI document.
WEB_SERVER_TYPES = web/server/src/openapi.d.ts
WEB_SERVER_SOURCES = $(filter-out $(WEB_SERVER_TYPES),$(wildcard web/server/*.json web/server/*.mjs web/server/src/* web/server/src/*/*))

# Depends on the report's parts, which it shares.
web/dist/server/index.html: docs/openapi.json $(WEB_SERVER_SOURCES) web/dist/report.js | deps-build
	cd web/server && npm ci --silent --no-audit --no-fund && npm run --silent check && npm run --silent build

DIST = target/dist/wiredyno-$(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)-$(shell uname -m)

dist: build ## pack the program with all studies that need no broker, for machines without compiler and network
	rm -rf $(DIST) $(DIST).tar.gz
	$(WIREDYNO) pack --without-broker -o $(DIST)
	tar -C $(dir $(DIST)) -czf $(DIST).tar.gz $(notdir $(DIST))
	@echo $(DIST).tar.gz

# RUN=folder uses a finished run of the study instead of a new one.
RUN =
docs: build server ## run the demo and write the README's figures and the images in docs/images from it
	scripts/docs $(WIREDYNO) demo $(RUN)

docs-brokers docs-throughput docs-security: docs-%: build ## the same of a page of docs/ from its study, up to an hour (RUN=folder of a finished one)
	scripts/docs $(WIREDYNO) $* $(RUN)

docs-claims: build ## docs/CLAIMS.md from finished runs of the studies that have published figures; the others keep their section (RUNS="folder...")
	scripts/docs $(WIREDYNO) claims $(RUNS)

docs-interoperability: build ## docs/INTEROPERABILITY.md: every codec here writes and every other of its format reads, some minutes
	$(TEST_ENVIRONMENT) scripts/docs $(WIREDYNO) interoperability

# Python that is checked: the runner in that language, scripts, and what tests start.
PYTHON_SOURCES = runners/python scripts/docs scripts/envelope-samples scripts/structure scripts/tests $(shell git ls-files 'crates/*.py')
RUFF = target/lint/bin/ruff
lint: web web-server ## formatting, structure, clippy, the front ends' types, and ruff and cargo-deny where `make deps-lint` installed them; warnings are errors
	$(CARGO) fmt --all --check
	scripts/structure --check
	cd web && npm run --silent check
	cd web/server && npm run --silent check
	@if test -x $(RUFF); then set -x; $(RUFF) check --quiet $(PYTHON_SOURCES); \
		else echo "Python is not checked without ruff: make deps-lint"; fi
	@if command -v cargo-deny >/dev/null; then set -x; $(CARGO) deny check bans licenses sources; \
		else echo "licences and sources are not checked without cargo-deny: make deps-lint"; fi
	$(CARGO) clippy $(PROFILE) --locked --workspace $(WITHOUT) $(SQLITE) $(ENCRYPTED) --all-targets -- -D warnings

deps-lint: deps-build ## install what `make lint` checks with beyond the toolchain: ruff into target/lint, cargo-deny by cargo
	@test -x $(RUFF) || { echo "installing ruff into target/lint"; python3 -m venv target/lint && target/lint/bin/pip install --quiet ruff; }
	@command -v cargo-deny >/dev/null || { echo "installing cargo-deny"; $(CARGO) install --quiet --locked cargo-deny; }

# Words that the names of tests must have, with their program's: make test ONLY="cli loads"
ONLY =
# How many times each of them runs: make test-busy ONLY=attacks TIMES=30
TIMES = 1
TESTS = $(TEST_ENVIRONMENT) CARGO=$(CARGO) RUSTC_WORKSPACE_WRAPPER=$(CURDIR)/scripts/rustc-for-tests scripts/tests $(addprefix --only=,$(ONLY))
TESTED = $(PROFILE) --locked --workspace $(WITHOUT) $(SQLITE) $(ENCRYPTED)

test: deps-test web web-server ## install what is missing and run all tests except the slow ones (ONLY="word..."), skipping those that passed and are unchanged
	$(CARGO) fmt --all --check
	cd web && npm --silent test
	cd web/server && npm --silent test
	$(TESTS) --skip-passed $(TESTED)

test-busy: deps-test web web-server ## the same beside two busy loops, with varying seeds (ONLY="word..." TIMES=30)
	$(TESTS) --busy --times $(TIMES) $(TESTED)

# Where Kubernetes is kept, which is built once.
KUBERNETES = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/wiredyno/kubernetes
test-kubernetes: deps-test web target/fleet/unpacked-cluster ## fleets in a Kubernetes with two nodes that are namespaces: builds it from Go modules the first time (12 minutes), then 5 minutes; needs root
	crates/programs/cli/tests/fleets/kubernetes/build.sh $(KUBERNETES)
	$(TEST_ENVIRONMENT) WIREDYNO_TEST_KUBERNETES=$(KUBERNETES)/bin $(CARGO) test $(TESTED) --test fleets -- kubernetes

test-sanitize: build ## the codecs in C++ under the address and undefined-behaviour sanitizers (CODECS="id..." ROUNDS=100000)
	scripts/sanitize-cpp $(or $(ROUNDS),100000) $(CODECS)

test-full: deps-test web web-server lint ## all tests, the slow ones too
	cd web && npm --silent test
	cd web/server && npm --silent test
	WIREDYNO_TEST_FULL=1 $(TESTS) $(TESTED)

deps-build:
	@command -v $(CARGO) >/dev/null || { echo "Rust 1.88 or later is required: install it from https://rustup.rs, as Debian's is too old" >&2; exit 1; }
	@scripts/need '!cc=gcc' '!node=nodejs' '!npm=npm'

deps-run: deps-build
	@scripts/need mosquitto=mosquitto

deps-test: deps-run
	@scripts/need ping=iputils-ping tshark=tshark chromium=chromium iperf3=iperf3 setpriv=util-linux \
		python3=python3-venv coap-client-notls=libcoap3-bin coap-client-openssl=libcoap3-bin ip=iproute2 asn1c=asn1c lcm-gen=liblcm-bin \
		idlc=cyclonedds-tools ddsperf=cyclonedds-tools /usr/include/lcm/lcm_coretypes.h=liblcm-dev /usr/lib/genpy/genmsg_py.py=python3-genpy \
		openssl=openssl c++=g++ /usr/lib/gencpp/gen_cpp.py=python3-gencpp /usr/include/ros/serialization.h=libroscpp-core-dev \
		/usr/include/dds/ddsi/ddsi_cdrstream.h=cyclonedds-dev xmllint=libxml2-utils javac=default-jdk-headless mvn=maven \
		/usr/lib/rabbitmq/bin/rabbitmq-server=rabbitmq-server /usr/lib/postgresql=postgresql pkg-config=pkg-config curl=curl \
		/usr/include/sqlite3.h=libsqlite3-dev capnp=capnproto flatc=flatbuffers-compiler thrift=thrift-compiler protoc=protobuf-compiler zstd=zstd
	@scripts/needs install
	@$(PYTHON) -c 'import asn1tools, bson, cbor2, confluent_kafka.schema_registry.protobuf, cyclonedds, duckdb, fastavro, google.protobuf, \
		jsonschema, msgpack, pyarrow, pycrate_asn1c, schemathesis, thrift' 2>/dev/null || { \
		echo "installing Python libraries into target/python:" $(PYTHON_LIBRARIES); \
		python3 -m venv target/python && $(PYTHON) -m pip install --quiet $(PYTHON_LIBRARIES); } || \
		echo "no Python libraries ("$(PYTHON_LIBRARIES)"): tests that compare with them are ignored by name"
	@$(MAKE) --silent --no-print-directory target/exificient/built target/proxies/usr/bin/promtool target/fleet/unpacked

target/exificient/built: $(EXIFICIENT)/pom.xml $(EXIFICIENT)/src/main/java/wiredyno/Exificient.java
	@echo "building EXIficient's side of the tests into target/exificient"
	@mvn --quiet --batch-mode --color never --file $< package && touch $@ || \
		echo "no EXIficient: tests that compare with it are ignored by name"

# Unpacked beside the tests, because Debian's packages would start servers on the machine.
target/proxies/usr/bin/promtool:
	@echo "unpacking nginx, Caddy and Prometheus into target/proxies"
	@mkdir -p target/proxies && (cd target/proxies && apt-get download -qq nginx caddy prometheus && \
		for package in *.deb; do dpkg -x "$$package" . && rm "$$package"; done) >/dev/null 2>&1 || \
		echo "no nginx, no Caddy, no Prometheus: tests with them are ignored by name"

# The same for what brings fleets up, with libraries that the machine may lack.
FLEET = openssh-server openssh-client slurmctld slurmd slurm-client slurm-wlm-basic-plugins libhwloc15 libjson-c5 libwrap0 libnuma1
target/fleet/unpacked:
	@echo "unpacking ssh and Slurm into target/fleet"
	@rm -rf target/fleet && mkdir -p target/fleet && (cd target/fleet && apt-get download -qq $(FLEET) && \
		for package in *.deb; do dpkg -x "$$package" . && rm "$$package"; done && touch unpacked) >/dev/null 2>&1 || \
		echo "no servers of ssh and Slurm: tests with them are ignored by name"

# The same for a Kubernetes of the tests' own; its other parts are built from Go modules.
CLUSTER = etcd-server containerd runc containernetworking-plugins
target/fleet/unpacked-cluster: target/fleet/unpacked
	@echo "unpacking etcd, containerd, runc and CNI into target/fleet"
	@(cd target/fleet && apt-get download -qq $(CLUSTER) && \
		for package in *.deb; do dpkg -x "$$package" . && rm "$$package"; done && touch unpacked-cluster) >/dev/null 2>&1 || \
		echo "no etcd, no containerd: tests with Kubernetes are ignored by name"

# PROTOCOL=mqtt:qos1 or PROTOCOL=mqtt, MINUTES=10, RATE=2000; the test has defaults for all of them.
PROTOCOL =
MINUTES =
RATE =
SOAK = $(TEST_ENVIRONMENT) WIREDYNO_SOAK_RATE=$(RATE) $(CARGO) test $(PROFILE) --locked --workspace $(WITHOUT) --test soak -- --nocapture
soak: deps-test web ## one protocol under a steady rate: flat memory, exact accounting (PROTOCOL=... MINUTES=... RATE=...)
	WIREDYNO_SOAK_PROTOCOL=$(or $(PROTOCOL),all) WIREDYNO_SOAK_MINUTES=$(MINUTES) $(SOAK)

soak-all: deps-test web ## every protocol for an hour
	WIREDYNO_SOAK_PROTOCOL=all WIREDYNO_SOAK_MINUTES=60 $(SOAK)

# Rows to keep of a bench, by words in their names: make bench-load ROWS=udp
ROWS =
# For the whole workspace with the features of the tests, so that nothing is compiled twice.
BENCH = $(CARGO) bench --profile release --locked --workspace $(WITHOUT) $(SQLITE) $(ENCRYPTED)

bench-link: web ## the link beside loopback, veth, iperf3 and models (ROWS="word..." keeps some)
	$(BENCH) --bench link -- $(ROWS)

bench-load: web ## lag and rate of the publisher at high rates, without a link (ROWS="word...")
	$(BENCH) --bench load -- $(ROWS)

bench-generators: deps-test web ## our publisher and subscriber beside PerfTest, Kafka's tools, mosquitto_pub, iperf3, ddsperf (ROWS="word...")
	@scripts/need mosquitto_pub=mosquitto-clients
	$(BENCH) --bench generators -- $(ROWS)

bench-watchers: server ## whether ten watchers of the web platform change the measurements, and how long its answers take (ROWS="word...")
	$(BENCH) --bench watchers -- $(ROWS)

soak-server: deps-test server ## an hour of 48 streams, two browsers and 500 waiting tests on the web platform: flat memory, quick answers, the same figures (MINUTES=60)
	WIREDYNO_SOAK_MINUTES=$(MINUTES) $(BENCH) --bench office

bench-list: server ## how long a list of 10,000 runs takes, and a restart with them
	$(BENCH) --bench list

bench-agents: web ## what a coordinator costs with 10 to 1,000 agents: CPU, memory, time to start (ROWS="100" keeps some numbers)
	$(BENCH) --bench coordinator -- $(ROWS)

bench-codecs: deps-test web ## our codecs beside generated C, roscpp, Cyclone, EXIficient: ratios (ROWS="word...")
	$(BENCH) --bench codecs -- $(ROWS)

bench-aa: web ## the same cell against itself, 1000 trials of each kind: false differences
	$(BENCH) --bench aa

bench-planted: web ## 1000 message trials of two equal cells, and of one with 10 % more CPU per message: false differences, and true ones found
	$(BENCH) --bench planted

bench-fixed: web ## the cost of a message from trials of 5 to 5,000, where it is known, by several methods (ROWS="word...")
	$(BENCH) --bench fixed -- $(ROWS)

# A package of its own, built apart, with the workspace's versions of all libraries: see benches/harness/Cargo.toml.
bench-harness: web ## our timed loop beside criterion's, which this downloads (ROWS="word...")
	cp Cargo.lock benches/harness/Cargo.lock
	$(CARGO) run $(PROFILE) --manifest-path benches/harness/Cargo.toml --target-dir target/harness -- $(ROWS)

clean: ## remove everything that was built
	$(CARGO) clean
	rm -rf web/dist web/node_modules $(WEB_TYPES) web/server/node_modules $(WEB_SERVER_TYPES)
