# Tidemark. `make` lists what there is to run.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

FUNCTIONS  := $(notdir $(wildcard functions/*))
TAGS       := lambda.norpc
# What each program says it is: the same commit makes the same programs.
VERSION    := $(shell git describe --always --dirty --tags 2>/dev/null || echo devel)
STAMP      := -X github.com/tidemark-db/tidemark/internal/base/release.version=$(VERSION)
LDFLAGS    := -s -w $(STAMP)
# Without the workspace: the same modules as for a user of the published one.
GOBUILD    := GOWORK=off CGO_ENABLED=0 go build -buildvcs=false -tags $(TAGS) -ldflags "$(LDFLAGS)"
# The race detector needs a C compiler; without one the suites run all the same.
RACE       := $(shell command -v gcc >/dev/null 2>&1 && echo -race)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# One line for each package, then skipped tests with their reasons, then failures.
GOTESTSUM  := go run gotest.tools/gotestsum@v1.13.0 --format pkgname --format-icons text --raw-command --
SUITES     := $(GOTESTSUM) scripts/suites.sh
# How long each suite took, then its status.
TOOK       := || status=$$?; cat build/suites.txt; exit $${status:-0}
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
# The programs that check and measure; "go run ./cmd/tidemark-lab --help" lists them.
LAB        := go run ./cmd/tidemark-lab
# The whole of the logger data lies beside the checkout; the extract in test/data is committed.
DATA       ?= ../shared/data
FUZZTIME   ?= 30s
# How many simulated histories, and the seed of the first.
N          ?= 10000
SEED       ?= 1
# The stage that synth, diff, deploy and destroy are about.
STAGE      ?= dev
CDK        := ../node_modules/.bin/cdk
export CDK_DISABLE_CLI_TELEMETRY := true
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION := 20

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: doctor
doctor: ## say what this machine is missing, what that adds, and how to install it
	@scripts/doctor.sh

.PHONY: doctor-go
doctor-go:
	@scripts/doctor.sh go

node_modules: package-lock.json | doctor
	@npm ci --loglevel=error --no-fund --no-audit
	@touch node_modules

ui/node_modules: ui/package-lock.json
	@cd ui && npm ci --loglevel=error --no-fund --no-audit
	@touch $@

.PHONY: ui
ui: ui/node_modules ## the pages of tidemark dev from ui/src into internal/api/webui/dist, types checked; commit the result
	@cd ui && npx tsc && npm run --silent build -- --outdir=../internal/api/webui/dist

.PHONY: build
build: ## the command line at bin/tidemark, each function at build/NAME/bootstrap (arm64) and build/local/NAME
	@for f in $(FUNCTIONS); do \
	  GOOS=linux GOARCH=arm64 $(GOBUILD) -trimpath -o build/$$f/bootstrap ./functions/$$f; \
	  cp tidemark.yaml build/$$f/tidemark.yaml; \
	done
	@$(MAKE) --no-print-directory build-local

.PHONY: build-local
build-local:
	@echo "build    bin/tidemark, and the functions in build/local for this machine"
	@CGO_ENABLED=0 go build -buildvcs=false -ldflags "$(STAMP)" -o bin/tidemark ./cmd/tidemark
	@for f in $(FUNCTIONS); do \
	  $(GOBUILD) -o build/local/$$f/bootstrap ./functions/$$f; \
	  cp tidemark.yaml build/local/$$f/tidemark.yaml; \
	done

.PHONY: release
release: ## longer: the files of a release in build/release: archives for five systems, function zips, SBOMs, checksums
	@scripts/release.sh "$(VERSION)"

.PHONY: man
man: ## the manual pages of the command line in build/man
	@go run ./cmd/tidemark generate man build/man

.PHONY: script
script: node_modules ## the script of websites, from internal/web/script/src; prints its sizes
	@node internal/web/script/build.mjs

.PHONY: demo
demo: doctor-go build-local ## the main job on real input, with Go alone: import loggers, break delivery, check every bucket (under 1 min)
	@$(LAB) demo

# A test that needs one of these fails if it is missing; in "go test" it is skipped.
test test-long test-infra: export TIDEMARK_REQUIRE ?= java,node,binaries

.PHONY: check
check: ## gofmt, vet, staticcheck, and the suites that start no other process (under 2 min on two cores, warm)
	@scripts/lint.sh "$(STATICCHECK)"
	@$(SUITES) check $(TOOK)

.PHONY: size
size: ## all lines of Go by what they are (product, programs for checking, tests, generated), and by room
	@$(LAB) size

.PHONY: test
test: doctor node_modules ui/node_modules build-local ## every suite; Node adds the infrastructure and the pages, Java the referee DynamoDB Local (about 20 min on two cores; packages that did not change are not run again)
	@$(SUITES) short $(RACE) $(TOOK)
	@$(MAKE) --no-print-directory test-infra

# The seed changes by the day; a failure is repeated with TIDEMARK_SEED=N.
test-long: export TIDEMARK_SEED ?= $(shell date -u +%Y%m%d0000)

.PHONY: test-long
test-long: doctor node_modules ui/node_modules build-local ## longer: make test with more histories, rare planted faults, mutants compiled, an adding aggregator
	@$(SUITES) long $(RACE) $(TOOK)
	@$(MAKE) --no-print-directory test-infra

.PHONY: test-infra
test-infra: ## the infrastructure's suites: golden templates, privileges, one definition (needs Node)
	@cd infra && CGO_ENABLED=0 $(GOTESTSUM) go test -json ./...

.PHONY: lint
lint: ## gofmt, vet, staticcheck, govulncheck where its data can be reached
	@scripts/lint.sh "$(STATICCHECK)" "$(GOVULNCHECK)"

.PHONY: oracle
oracle: doctor-go build-local ## longer: all 210,718 logger rows through the running stack, 41,643 buckets against an independent oracle (about 4 min)
	@$(LAB) oracle --data "$(DATA)/dev-iot.csv.gz" --oracle "$(DATA)/dev-iot.oracle.csv.gz" --twice "$(DATA)/dev-iot.oracle-nodedup.csv.gz"

.PHONY: ui-year
ui-year: doctor node_modules build-local ## longer: all 210,718 logger rows, then a year of one in Chromium: drawn within a second, equal to tidemark rollups
	@DATA="$(DATA)" COMMAND="$(CURDIR)/bin/tidemark" YEAR=msm_buoy/batt_v go test ./test/ui -count=1 -timeout 60m -v -run Year

.PHONY: oracle-web
oracle-web: doctor-go build-local ## longer: all 43,529 lines of web logs through the running stack, 1,491 buckets against an independent oracle; FLAGS="--random --deleted 5": in random order, 5 % deleted and put back
	@$(LAB) oracle-web --data "$(DATA)/dev-web.ndjson.gz" --oracle "$(DATA)/dev-web.oracle.csv.gz" --top "$(DATA)/dev-web.oracle-top.csv.gz" $(FLAGS)

.PHONY: oracle-fleet
oracle-fleet: N = 2000
oracle-fleet: doctor-go build-local ## longer: a day of N (2000) devices through the running stack under faults, every bucket of their groups against DuckDB
	@$(LAB) oracle-fleet --devices "$(N)" --seed "$(SEED)"

.PHONY: sim
sim: ## longer: N (10000) seeded histories over all faults together, from SEED (1) on, with the code that deploys (about 3 min)
	@$(LAB) sim -n "$(N)" --seed "$(SEED)"

.PHONY: linear
linear: N = 1000000
linear: ## longer: N (1000000) recorded operations of seeded clients under all faults, checked by porcupine and a set checker (about 4 min)
	@$(LAB) linear -n "$(N)" --seed "$(SEED)"

.PHONY: million
million: ## longer: a million devices around the end of an hour, one series for a hundred, with the limits of partitions (about 10 min)
	@go test ./functions/aggregate -run TestMillion -million -v -timeout 30m

.PHONY: history
history: N = 1000000
history: ## longer: N (1000000) rows imported by processes that are killed, and the write units of N late rows (about 10 min, 8 GB)
	@$(LAB) history -n "$(N)"

.PHONY: programs
programs: node_modules ## longer: N (10000) random programs over the Go API on DynamoDB Local against a plain model, from SEED (1) on
	@TIDEMARK_PROGRAMS=1 TIDEMARK_REQUIRE=java,node go test ./pkg/timeseries -count=1 -timeout 0 -v -run TestPrograms_AgreeWithAPlainModelOnDynamoDB -rapid.checks=$(N) -rapid.seed=$(SEED)

.PHONY: exhaustive-small
exhaustive-small: ## longer: every history of small scenarios on the real code, each state once (under 2 min)
	@$(LAB) exhaustive --size m

.PHONY: exhaustive
exhaustive: ## longer: the same with more events, processes and clocks (under 30 min, 8 GB)
	@$(LAB) exhaustive --size l

.PHONY: midnight
midnight: node_modules ui/node_modules build-local ## longer: the suites of the API and the pages while a month, a year and summer time end (about 4 min)
	@go test ./test/midnight -count=1 -timeout 30m -v -all

.PHONY: sim-alerts
sim-alerts: ## longer: 1,000 seeded histories of a fleet's alerts over all faults together (about 5 min)
	@TIDEMARK_HISTORIES=1000 go test ./internal/engine/alert -count=1 -timeout 60m -v -run TestSim_AlertsAreThoseOfASequentialPass

.PHONY: cost
cost: ## what it costs to be right, measured in read and write units (about 3 min)
	@$(LAB) cost

.PHONY: mutants
mutants: ## longer: plant faults in copies of the rule, and name the test that finds each
	@$(LAB) mutants

.PHONY: mutation
mutation: N = 400
mutation: doctor node_modules ## longer: N (400) of 4,700 small faults by rule in the write path, from SEED (1); 95 % must be found (about 8 min)
	@$(LAB) mutation -n "$(N)" --seed "$(SEED)"

.PHONY: chaos
chaos: doctor node_modules build-local ## longer: kill functions and cut connections at random under load (SEED=1), recount every bucket, then restore the table to the middle, with a kill in the middle (about 3 min)
	@$(LAB) chaos --seed "$(SEED)"

bench/electro/node_modules: bench/electro/package-lock.json | doctor
	@cd bench/electro && npm ci --loglevel=error --no-fund --no-audit
	@touch $@

.PHONY: bench
bench: doctor node_modules bench/electro/node_modules ## longer: every measurement beside its peers, into docs/run/PERFORMANCE.md (a quiet machine, about 40 min)
	@$(LAB) bench --out docs/run/PERFORMANCE.md

.PHONY: upgrade
upgrade: doctor-go ## longer: the functions of an older commit, FROM (the newest tag), and of this checkout on one table, forward and back (about 4 min)
	@$(LAB) upgrade $(if $(FROM),--from "$(FROM)")

.PHONY: fuzz
fuzz: ## longer: each fuzzer for FUZZTIME (30s)
	@scripts/fuzz.sh $(FUZZTIME)

.PHONY: invoke
invoke: node_modules ## one function with one payload: FN=ingest EVENT=events/ingest/http-batch.json
	@$(LAB) invoke "$(FN)" "$(EVENT)"

.PHONY: smoke
smoke: ## marked events through a deployment, checked and removed: STACK=tidemark-prod, or the dev that runs here
	@go run ./cmd/tidemark smoke $(if $(STACK),--stack "$(STACK)")

.PHONY: live-check
live-check: node_modules ## the first live deployment: STAGE, a new name, is deployed, probed and removed; REMOVE=1 only removes it (under 30 min, a dollar)
	@$(LAB) live-check --stage "$(STAGE)" $(if $(REMOVE),--remove)

.PHONY: synth
synth: build node_modules ## every stage's template, into infra/cdk.out
	@cd infra && $(CDK) synth --quiet

.PHONY: diff
diff: build node_modules ## STAGE against its golden template; with STACK=tidemark-prod against what AWS runs (READ=1 creates no change set)
	@cd infra && if [[ -n "$(STACK)" ]]; then $(CDK) diff $(if $(READ),--no-change-set) "$(STACK)"; else \
	  go run . print "$(STAGE)" | diff -u "testdata/$(STAGE).template.json" - && echo "diff    $(STAGE): as its golden template"; fi

.PHONY: deploy-dry
deploy-dry: build ## what deploying STAGE would make, and what that costs at rest
	@cd infra && go run . cost "$(STAGE)"

.PHONY: deploy
deploy: build node_modules ## STAGE to its AWS account, asking before privileges widen; YES=1 asks nothing, CHANGES=1 only prepares a change set
	@go run ./scripts/stack $(if $(YES),-yes) $(if $(CHANGES),-changes) deploy "$(STAGE)"

.PHONY: deploy-mock
deploy-mock: ## STAGE's template to moto, a mock of AWS, read back and compared with the configuration
	@scripts/mockcloud/run.sh "$(STAGE)"

.PHONY: destroy
destroy: build node_modules ## STAGE's stack, naming what blocks it (YES=1 detaches certificates); a table that its stage retains stays
	@go run ./scripts/stack $(if $(YES),-yes) destroy "$(STAGE)"

.PHONY: sam
sam: build ## template.yaml anew, from the CDK app
	@(cd infra && go run . sam) > template.yaml.new && mv template.yaml.new template.yaml

.PHONY: hooks
hooks: ## checks before each commit: gofmt, vet of the changed packages, style; git config --unset core.hooksPath ends it
	@git config core.hooksPath scripts/hooks && echo "hooks   scripts/hooks runs before each commit"

.PHONY: tag
tag: ## the commits and tags of a release, here only: vX.Y.Z, and infra/vX.Y.Z as a module of its own (RELEASE=v0.1.0)
	@scripts/tag.sh "$(RELEASE)"

.PHONY: clean
clean: ## remove what was built
	@rm -rf bin build .tidemark infra/cdk.out
