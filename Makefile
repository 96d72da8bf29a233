# Tidemark. `make` lists what there is to run.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

FUNCTIONS  := $(notdir $(wildcard functions/*))
TAGS       := lambda.norpc
LDFLAGS    := -s -w
GOBUILD    := CGO_ENABLED=0 go build -trimpath -buildvcs=false -tags $(TAGS) -ldflags "$(LDFLAGS)"
# The race detector needs a C compiler; without one the suites run all the same.
RACE       := $(shell command -v gcc >/dev/null 2>&1 && echo -race)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
# The whole of the logger data lies beside the checkout; the extract in test/data is committed.
DATA       ?= ../shared/data
FUZZTIME   ?= 30s

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: doctor
doctor: ## say what this machine is missing, and how to install it
	@scripts/doctor.sh

node_modules: package-lock.json | doctor
	@npm ci --loglevel=error --no-fund --no-audit
	@touch node_modules

.PHONY: build
build: ## the command line at bin/tidemark, each function at build/NAME/bootstrap (arm64) and build/local/NAME
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -o bin/tidemark ./cmd/tidemark
	@for f in $(FUNCTIONS); do \
	  GOOS=linux GOARCH=arm64 $(GOBUILD) -o build/$$f/bootstrap ./functions/$$f; \
	  cp tidemark.yaml build/$$f/tidemark.yaml; \
	done
	@$(MAKE) --no-print-directory build-local

.PHONY: build-local
build-local:
	@CGO_ENABLED=0 go build -trimpath -buildvcs=false -o bin/tidemark ./cmd/tidemark
	@for f in $(FUNCTIONS); do \
	  $(GOBUILD) -o build/local/$$f/bootstrap ./functions/$$f; \
	  cp tidemark.yaml build/local/$$f/tidemark.yaml; \
	done

.PHONY: demo
demo: doctor node_modules build-local ## the main job on real input: replay loggers, break delivery, check every bucket (under 1 min)
	@go run ./test/demo

.PHONY: test
test: doctor node_modules lint build-local ## every suite, on DynamoDB Local too (under 5 min warm)
	@go test $(RACE) -json ./... | go run ./scripts/testlines

.PHONY: lint
lint: ## gofmt, vet, staticcheck, govulncheck where its data can be reached
	@scripts/lint.sh "$(STATICCHECK)" "$(GOVULNCHECK)"

.PHONY: oracle
oracle: doctor node_modules build-local ## longer: all 210,718 logger rows through the running stack, 41,643 buckets against an independent oracle (about 4 min)
	@go run ./test/oracle --data $(DATA)/dev-iot.csv.gz --oracle $(DATA)/dev-iot.oracle.csv.gz --twice $(DATA)/dev-iot.oracle-nodedup.csv.gz

.PHONY: fuzz
fuzz: ## longer: each fuzzer for FUZZTIME (30s)
	@scripts/fuzz.sh $(FUZZTIME)

.PHONY: clean
clean: ## remove what was built
	@rm -rf bin build .tidemark
