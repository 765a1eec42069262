# Two commands do all the set-up: `make bench` measures this machine, `make test` proves the tree.

CARGO ?= cargo
BINARY := target/release/ciphermeter
export CIPHERMETER_WORKERS := $(CURDIR)/workers
# AWS-LC is built from its own source: its build script would else take a system copy where it finds one.
export AWS_LC_SYS_USE_SYSTEM := 0

.PHONY: build workers bench test bench-self clean

build:
	$(CARGO) build --release --locked

# A missing toolchain leaves its worker out, with the reason: that is no failure here (exit code 5).
workers: build
	$(BINARY) workers build || test $$? -eq 5

# Builds everything and runs the default scenario: which cipher and library is fastest here.
bench: workers
	$(BINARY) run

# Installs what tests need and runs them all; the last line tells passed, failed, skipped.
test:
	tests/all

# Holds the instrument against itself: about twenty minutes, most of them forty runs against itself, on an otherwise idle machine.
bench-self: workers
	$(BINARY) bench-self cost
	$(BINARY) bench-self ruler
	$(BINARY) bench-self still
	$(BINARY) bench-self latency
	$(BINARY) bench-self against

clean:
	$(CARGO) clean
	rm -rf workers/*/build
