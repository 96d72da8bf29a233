# Tidemark. `make` lists what there is to run.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

FUNCTIONS  := $(notdir $(wildcard functions/*))
TAGS       := lambda.norpc
# What each program says it is: the same commit makes the same programs.
VERSION    := $(shell git describe --always --dirty --tags 2>/dev/null || echo devel)
STAMP      := -X github.com/tidemark-db/tidemark/internal/release.version=$(VERSION)
LDFLAGS    := -s -w $(STAMP)
GOBUILD    := CGO_ENABLED=0 go build -buildvcs=false -tags $(TAGS) -ldflags "$(LDFLAGS)"
# The race detector needs a C compiler; without one the suites run all the same.
RACE       := $(shell command -v gcc >/dev/null 2>&1 && echo -race)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# One line for each package, then skipped tests with their reasons, then failures.
GOTESTSUM  := go run gotest.tools/gotestsum@v1.13.0 --format pkgname --format-icons text --raw-command --
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.1.4
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
doctor: ## say what this machine is missing, and how to install it
	@scripts/doctor.sh

node_modules: package-lock.json | doctor
	@npm ci --loglevel=error --no-fund --no-audit
	@touch node_modules

ui/node_modules: ui/package-lock.json
	@cd ui && npm ci --loglevel=error --no-fund --no-audit
	@touch $@

.PHONY: ui
ui: ui/node_modules ## the pages of tidemark dev from ui/src into internal/webui/dist, types checked; commit the result
	@cd ui && npx tsc && npm run --silent build -- --outdir=../internal/webui/dist

.PHONY: build
build: ## the command line at bin/tidemark, each function at build/NAME/bootstrap (arm64) and build/local/NAME
	@for f in $(FUNCTIONS); do \
	  GOOS=linux GOARCH=arm64 $(GOBUILD) -trimpath -o build/$$f/bootstrap ./functions/$$f; \
	  cp tidemark.yaml build/$$f/tidemark.yaml; \
	done
	@$(MAKE) --no-print-directory build-local

.PHONY: build-local
build-local:
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
	@go run ./cmd/tidemark man build/man

.PHONY: script
script: node_modules ## the script of websites, from internal/script/src; prints its sizes
	@node internal/script/build.mjs

.PHONY: demo
demo: doctor node_modules build-local ## the main job on real input: replay loggers, break delivery, check every bucket (under 1 min)
	@go test -c -o build/demo.test ./test/demo && TIDEMARK_COMMAND= build/demo.test

# A test that needs one of these fails if it is missing; in "go test" it is skipped.
test test-long test-infra: export TIDEMARK_REQUIRE ?= java,node,binaries

.PHONY: test
test: doctor node_modules ui/node_modules lint build-local ## every suite, on DynamoDB Local too (about 13 min on two cores; packages that did not change are not run again)
	@$(GOTESTSUM) scripts/suites.sh short $(RACE)
	@$(MAKE) --no-print-directory test-infra

.PHONY: test-long
test-long: doctor node_modules ui/node_modules lint build-local ## longer: make test with more histories, rare planted faults, mutants compiled, an adding aggregator
	@$(GOTESTSUM) scripts/suites.sh long $(RACE)
	@$(MAKE) --no-print-directory test-infra

.PHONY: test-infra
test-infra: ## the infrastructure's suites: golden templates, privileges, one definition (needs Node)
	@cd infra && export CGO_ENABLED=0 && go vet ./... && go run "$(STATICCHECK)" ./... && $(GOTESTSUM) go test -json ./...

.PHONY: lint
lint: ## gofmt, vet, staticcheck, govulncheck where its data can be reached
	@scripts/lint.sh "$(STATICCHECK)" "$(GOVULNCHECK)"

.PHONY: oracle
oracle: doctor node_modules build-local ## longer: all 210,718 logger rows through the running stack, 41,643 buckets against an independent oracle (about 4 min)
	@go test -c -o build/oracle.test ./test/oracle && TIDEMARK_COMMAND="--data $(DATA)/dev-iot.csv.gz --oracle $(DATA)/dev-iot.oracle.csv.gz --twice $(DATA)/dev-iot.oracle-nodedup.csv.gz" build/oracle.test

.PHONY: ui-year
ui-year: doctor node_modules build-local ## longer: all 210,718 logger rows, then a year of one in Chromium: drawn within a second, equal to tidemark rollups
	@DATA="$(DATA)" COMMAND="$(CURDIR)/bin/tidemark" YEAR=msm_buoy/batt_v go test ./test/ui -count=1 -timeout 60m -v -run Year

.PHONY: oracle-web
oracle-web: doctor node_modules build-local ## longer: all 43,529 lines of web logs through the running stack, 1,491 buckets against an independent oracle; FLAGS="-random -deleted 5": in random order, 5 % deleted and put back
	@go test -c -o build/oracle.test ./test/oracle && TIDEMARK_COMMAND="web --data $(DATA)/dev-web.ndjson.gz --oracle $(DATA)/dev-web.oracle.csv.gz --top $(DATA)/dev-web.oracle-top.csv.gz $(FLAGS)" build/oracle.test

.PHONY: sim
sim: ## longer: N (10000) seeded histories over all faults together, from SEED (1) on, with the code that deploys (about 3 min)
	@go test -c -o build/simulation.test ./test/simulation && TIDEMARK_COMMAND="-n $(N) -seed $(SEED)" build/simulation.test

.PHONY: linear
linear: N = 1000000
linear: ## longer: N (1000000) recorded operations of seeded clients under all faults, checked by porcupine and a set checker (about 4 min)
	@go test -c -o build/linear.test ./test/linear && TIDEMARK_COMMAND="-n $(N) -seed $(SEED)" build/linear.test

.PHONY: history
history: N = 1000000
history: ## longer: N (1000000) rows imported by processes that are killed, and the write units of N late rows (about 10 min, 8 GB)
	@TIDEMARK_ROWS=$(N) go test ./test/history -count=1 -timeout 60m -v -run Import

.PHONY: programs
programs: node_modules ## longer: N (10000) random programs over the Go API on DynamoDB Local against a plain model, from SEED (1) on
	@TIDEMARK_PROGRAMS=1 TIDEMARK_REQUIRE=java,node go test ./pkg/timeseries -count=1 -timeout 0 -v -run TestPrograms_AgreeWithAPlainModelOnDynamoDB -rapid.checks=$(N) -rapid.seed=$(SEED)

.PHONY: exhaustive-small
exhaustive-small: ## longer: every history of small scenarios on the real code, each state once (under 2 min)
	@TIDEMARK_EXHAUSTIVE=m go test ./test/exhaustive -count=1 -timeout 20m -v -run NoHistory

.PHONY: exhaustive
exhaustive: ## longer: the same with more events, processes and clocks (under 30 min, 8 GB)
	@TIDEMARK_EXHAUSTIVE=l go test ./test/exhaustive -count=1 -timeout 90m -v -run NoHistory

.PHONY: sim-alerts
sim-alerts: ## longer: 1,000 seeded histories of a fleet's alerts over all faults together (about 5 min)
	@TIDEMARK_HISTORIES=1000 go test ./internal/alert -count=1 -timeout 60m -v -run TestSim_AlertsAreThoseOfASequentialPass

.PHONY: cost
cost: ## what it costs to be right, measured in read and write units (about 3 min)
	@go test -c -o build/simulation.test ./test/simulation && TIDEMARK_COMMAND=-cost build/simulation.test

.PHONY: mutants
mutants: ## longer: plant faults in copies of the rule, and name the test that finds each (about 4 min)
	@go test -c -o build/mutants.test ./test/mutants && TIDEMARK_COMMAND="" build/mutants.test

.PHONY: mutation
mutation: N = 400
mutation: doctor node_modules ## longer: N (400) of 4,700 small faults by rule in the write path, from SEED (1); 95 % must be found (about 8 min)
	@go test -c -o build/mutants.test ./test/mutants && TIDEMARK_COMMAND="rules -n $(N) -seed $(SEED)" build/mutants.test

.PHONY: chaos
chaos: doctor node_modules build-local ## longer: kill functions and cut connections at random under load (SEED=1), recount every bucket, then restore the table to the middle, with a kill in the middle (about 3 min)
	@go test -c -o build/linear.test ./test/linear && TIDEMARK_COMMAND="chaos -seed $(SEED)" build/linear.test

bench/electro/node_modules: bench/electro/package-lock.json | doctor
	@cd bench/electro && npm ci --loglevel=error --no-fund --no-audit
	@touch $@

.PHONY: bench
bench: doctor node_modules bench/electro/node_modules ## longer: every measurement beside its peers, into docs/PERFORMANCE.md (a quiet machine, about 20 min)
	@cd bench && go test -c -o ../build/bench.test . && TIDEMARK_COMMAND="-out ../docs/PERFORMANCE.md" ../build/bench.test

.PHONY: fuzz
fuzz: ## longer: each fuzzer for FUZZTIME (30s)
	@scripts/fuzz.sh $(FUZZTIME)

.PHONY: invoke
invoke: node_modules ## one function with one payload: FN=ingest EVENT=events/ingest/http-batch.json
	@go test -c -o build/samples.test ./test/samples && TIDEMARK_COMMAND="$(FN) $(EVENT)" build/samples.test

.PHONY: smoke
smoke: ## marked events through a deployment, checked and removed: STACK=tidemark-prod, or the dev that runs here
	@go run ./cmd/tidemark smoke $(if $(STACK),--stack "$(STACK)")

.PHONY: live-check
live-check: node_modules ## the first live deployment: STAGE, a new name, is deployed, probed and removed; REMOVE=1 only removes it (under 30 min, a dollar)
	@go test -c -o build/live.test ./test/live && TIDEMARK_COMMAND="-stage $(STAGE) $(if $(REMOVE),-remove)" build/live.test

.PHONY: synth
synth: build node_modules ## every stage's template, into infra/cdk.out
	@cd infra && $(CDK) synth --quiet

.PHONY: diff
diff: build node_modules ## STAGE against its golden template; with STACK=tidemark-prod against what AWS runs
	@cd infra && if [[ -n "$(STACK)" ]]; then $(CDK) diff "$(STACK)"; else \
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

.PHONY: clean
clean: ## remove what was built
	@rm -rf bin build .tidemark infra/cdk.out
