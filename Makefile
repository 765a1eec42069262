# `make` builds everything, `make bench` measures this machine, `make test` proves the tree.

CARGO ?= cargo
BINARY := target/release/ciphermeter
LAB := target/release/lab
export CIPHERMETER_WORKERS := $(CURDIR)/workers

.PHONY: all build workers bench page serve fleet test test-deep bench-self dist clean

# The binary, every worker whose toolchain is here, the team's server, and the fleet where Python can install it.
all: workers serve
	$(MAKE) fleet || echo "ciphermeter fleet was left out: see above"

build:
	$(CARGO) build --release --locked
	ln -sfn ../../workers target/release/workers

# A missing toolchain leaves its worker out, with the reason: that is no failure here (exit code 5).
workers: build
	$(BINARY) workers build || test $$? -eq 5

# Builds what the default scenario asks and runs it: which cipher and library is fastest here, on the screen and as a page whose name
# comes last. Without Go, the rest is measured.
bench: build
	$(BINARY) workers build go || test $$? -eq 5
	$(BINARY) run || test $$? -eq 5
	@$(BINARY) report || test $$? -eq 2

# The meter in a browser, in page/build/site, which any static host can serve. Needs Node, npm and Rust's target wasm32-unknown-unknown.
page:
	cd page && npm ci --ignore-scripts --no-audit --no-fund && npm run wasm && npm run build

# The team's server beside the binary, which starts it for `ciphermeter serve` and `ciphermeter push`, and the page that it gives to
# phones, once `make page` has built it.
serve: build
	$(CARGO) build --release --locked --manifest-path serve/Cargo.toml --target-dir target/serve
	cp -f target/serve/release/ciphermeter-serve target/release/
	ln -sfn ../../page/build/site target/release/page

# What measures many machines, beside the binary, which starts it for `ciphermeter fleet`: an environment of Python with Dask.
fleet: build
	python3 fleet/install.py target/release

# Installs what tests need and proves every rule once; the last line tells passed, failed, skipped.
test:
	tests/quick

# The long repetitions: kills, simulated runs, every provider, Arm, fuzzing. After `make test`.
test-deep:
	tests/deep

# Compares the instrument with itself and with rivals: about two hours on an otherwise idle machine.
bench-self: workers
	$(CARGO) build --release --locked -p ciphermeter -p ciphermeter-lab
	$(CARGO) build --release --locked -p ciphermeter-native --example plain
	$(LAB) plain
	$(LAB) cost
	$(LAB) ruler
	$(LAB) still
	$(LAB) layout
	$(LAB) copies
	$(LAB) copies --links
	$(LAB) equals
	$(LAB) neighbour
	$(LAB) latency
	$(LAB) against
	$(LAB) against --planted 0.5% --message 16KiB --threshold 0.1% --budget 30s
	$(LAB) against --planted 1% --message 16 --threshold 0.3% --budget 60s
	$(LAB) split
	$(LAB) transfer

# What is released, in dist/: a tarball that runs on Linuxes since 2013 (glibc 2.17), a Debian package, SHA-256 sums.
dist:
	packaging/make

clean:
	$(CARGO) clean
	rm -rf workers/*/build python/build fleet/build page/build dist
