// Package ui tests the pages of Tidemark in Chromium, and the requests of Grafana's data source,
// against a local stack with readings of real loggers. It writes a picture of each page to
// build/screens.
package ui

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/metrics"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const (
	settings = "mapping: {window: 0s}\nprometheus: true\nsubjects: {ACCOUNT: {profile: {fields: {name: " +
		"{}, status: {}}}}}\nkinds: {SESSION: {goals: {read: {of: PAGEVIEW, where: {path: /docs/**}}, " +
		"visit: {steps: [{of: PAGEVIEW, where: {path: /}}, {of: PAGEVIEW, where: {path: /pricing}}, {of: PAGEVIEW, where: {path: /docs/**}}]}}}, " +
		"READING: {groups: [site], measures: {temperature: {percentiles: true, unit: °C}, humidity: {percentiles: true, unit: '%'}, battery: {percentiles: true}, value: {percentiles: true}}}, " +
		"IMPORTEDDAY: {path: importeddays, subject: {name: IMPORTEDSITE, path: importedsites, field: siteId}, measures: {pageviews: {scale: 0}}, latest: none, tiers: {raw: forever, day: forever}}, " +
		"ENERGY: {path: energy, subject: {name: METER, path: meters, field: meterId}, groups: [site], measures: {wh: {scale: 0, type: counter, unit: Wh}}}}\n"
	device    = "gwi_w_411"
	columns   = "subject=device,stream=metric,time=ts,id=rec,value=value"
	oneLineIn = 12
	hostile   = `<script>alert("x")</script>`
	many      = 10_000 // subjects, and streams of one subject
	site      = "shop.example.com"
)

// machine is the clock of the stack and the tests, which the suites of test/midnight move.
var machine = clock.FromEnv()

// sent is the day on which send sends, also if the suite ends on the next one.
var sent = machine.Now().UTC().Truncate(24 * time.Hour)

// The scenarios are functions of pages.mjs, which prints the name of each that passed. Those that take long
// are first, so that none is left when all others have ended.
var scenarios = []string{
	"shared", "site", "tasks", "away", "alert", "signIn", "looksSite", "looksSubject", "looksTiers",
	"looksFleet", "bucket", "keyboard", "service", "breaks", "looksHealth", "looksBreak", "zoom",
	"compare", "fleet", "profiles", "live", "hostile", "figures", "measures", "counter", "units",
	"together", "numbers", "severities", "missing", "address", "busy", "changed", "paper", "meant", "stack",
	"notified", "theme", "search", "streams", "members",
}

func TestPages_ShowTheTableInABrowser(t *testing.T) {
	browse := browser(t)
	s := start(t, "collector: {regions: true, trust: cloudfront}\n")
	send(t, s)
	putGroup(t, s)
	listed := make(chan error, 1)
	go func() { listed <- list(t.Context(), s) }()
	browse(s, stage(t, s), scenarios)
	if err := <-listed; err != nil {
		t.Error(err)
	}
}

// browser returns a function that plays scenarios of pages.mjs on a stack, with more environment.
func browser(t *testing.T) func(s *stack.Stack, env, scenarios []string) {
	t.Helper()
	browser := os.Getenv("CHROMIUM")
	if browser == "" {
		browser = "/usr/bin/chromium"
	}
	if _, err := os.Stat(browser); err != nil {
		t.Skip("needs chromium: install it, or set CHROMIUM to its path")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		testenv.Missing(t, "node", err)
	}
	screens, err := filepath.Abs("../../build/screens")
	if err := errors.Join(err, os.MkdirAll(screens, 0o755)); err != nil {
		t.Fatal(err)
	}
	return func(s *stack.Stack, env, scenarios []string) {
		t.Helper()
		play := exec.CommandContext(t.Context(), node,
			append([]string{"pages.mjs", s.URL, browser, screens, hostile}, scenarios...)...)
		play.Env = append(append(os.Environ(), env...), fmt.Sprint("AHEAD=", machine.Offset().Milliseconds()),
			"SENT="+sent.Format(time.DateOnly))
		out, err := play.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		t.Logf("%s", out)
		for _, name := range scenarios {
			if !strings.Contains("\n"+string(out), "\n"+name+" ") {
				t.Errorf("scenario %s did not pass", name)
			}
		}
	}
}

// start runs a stack with the settings of these tests, and more.
func start(t *testing.T, more string) *stack.Stack {
	t.Helper()
	path := filepath.Join(t.TempDir(), configfile.FileName)
	if err := os.WriteFile(path, []byte(settings+more), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed, err := configfile.Load(path, domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := stack.Start(t.Context(), stack.Options{
		Config: parsed, ConfigPath: path, Table: fmt.Sprintf("ui-%d", time.Now().UnixNano()),
		DynamoDB: ddblocal.FromEnv(), Dir: t.TempDir(), Clock: machine,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// send sends the readings of a logger, shifted so that the newest is now, readings of a subject whose id is
// markup and of some to compare, and the views of a site.
func send(t *testing.T, s *stack.Stack) {
	t.Helper()
	post(t, s.URL+"/v1/rules/devices", map[string]any{"name": "too-hot", "kind": "READING",
		"measure": "temperature", "bounds": "above", "high": 90, "severity": "critical"})
	replayFile(t, s, sample(t))
	at := machine.Now().UTC().Add(-time.Minute).Format(time.RFC3339)
	post(t, s.URL+"/v1/readings", []map[string]any{
		{"deviceId": hostile, "timestamp": at, "temperature": 20, "note": hostile},
		{"deviceId": "hall", "timestamp": at, "temperature": 20}, {"deviceId": "yard", "timestamp": at, "temperature": 10},
		{"deviceId": "rooms", "stream": "north", "timestamp": at, "value": 1}, {"deviceId": "rooms", "stream": "south", "timestamp": at, "value": 2},
	})
	call(t, http.MethodPut, s.URL+"/v1/accounts/acme", map[string]any{"name": "Acme Ltd", "status": "trial"})
	call(t, http.MethodPut, s.URL+"/v1/devices/hall",
		map[string]any{"name": "Hall of the station", "status": "retired"})
	post(t, s.URL+"/v1/pageviews", map[string]any{"siteId": site, "stream": "imported", "id": "old",
		"visitor": "old", "path": "/old", "timestamp": at})
	post(t, s.URL+"/v1/importeddays", []map[string]any{
		{"siteId": site, "stream": "visitors", "timestamp": sent.AddDate(0, 0, -2).Format(time.RFC3339), "pageviews": 1200},
		{"siteId": site, "stream": "visitors", "timestamp": sent.AddDate(0, 0, -3).Format(time.RFC3339), "pageviews": 34},
		{"siteId": site, "stream": "visitors", "timestamp": sent.AddDate(0, 0, -40).Format(time.RFC3339), "pageviews": 5},
	})
	for some := range slices.Chunk(views(), 25) { // few enough for a request, however busy the machine is
		post(t, s.URL+"/v1/pageviews", some)
	}
	signedUp := machine.Now().UTC().Add(-40*time.Minute + 10*time.Second).Format(time.RFC3339)
	for n, plan := range []string{"pro", "pro", "free"} {
		post(t, s.URL+"/v1/customevents", map[string]any{
			"siteId": site, "id": fmt.Sprint("sign-up-", n), "visitor": "v0-0", "path": "/", "name": "Sign up",
			"prop1": "Sign up?plan=" + plan, "timestamp": signedUp,
		})
	}
	err := s.Idle(t.Context())
	if err == nil { // until then no bucket is read from its row
		_, err = s.RunAlerts(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// replayFile sends the readings of a file of loggers, shifted so that the newest is two hours old.
func replayFile(t *testing.T, s *stack.Stack, file string) {
	t.Helper()
	kinds, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	kind := &kinds.Kinds[0]
	in := formats.Input{Kind: kind}
	if in.Columns, err = formats.ParseColumns(columns, kind); err != nil {
		t.Fatal(err)
	}
	_, shift, err := in.Rebase("now", model.NewTime(machine.Now().Add(-2*time.Hour)), []string{file})
	if err != nil {
		t.Fatal(err)
	}
	sender := replay.Sender{URL: s.URL + "/v1/" + kind.Path, Batch: 100, Lanes: 2}
	err = sender.Send(t.Context(), func(send func(formats.Observation) error) error {
		return in.Each([]string{file}, func(o formats.Observation) error {
			shifted, err := o.Shift(shift)
			if err != nil {
				return err
			}
			return send(shifted)
		})
	})
	if err != nil || sender.Counts.Count(model.Rejected) > 0 {
		t.Fatalf("replay: %v, %d rejected", err, sender.Counts.Count(model.Rejected))
	}
}

// list writes the list of series of many hosts, of one with many streams and of one whose kind is no longer
// declared, as aggregate writes it after their first events. The last entry is written when all others are,
// so that the scenarios can wait for it.
func list(ctx context.Context, s *stack.Stack) error {
	hour := model.NewTime(machine.Now().Truncate(time.Hour))
	silent := "host_00777" // for two days
	entry := func(host, kind, stream string) types.WriteRequest {
		series := model.Series{Subject: model.Subject{Type: metrics.Metrics.Subject.Name, ID: host}, Kind: kind,
			Stream: stream}
		put := &types.PutRequest{Item: map[string]types.AttributeValue{}}
		listed := storage.ListedSeries{Series: series, First: hour, Last: hour}
		if host == silent {
			listed.First, listed.Last = hour.Add(-48*time.Hour), hour.Add(-48*time.Hour)
		}
		for name, v := range item.FromListedSeries(listed) { // texts and numbers
			put.Item[name] = &types.AttributeValueMemberS{Value: v.S}
			if v.Type == item.N {
				put.Item[name] = &types.AttributeValueMemberN{Value: v.S}
			}
		}
		return types.WriteRequest{PutRequest: put}
	}
	var puts []types.WriteRequest
	for n := range many {
		puts = append(puts, entry(fmt.Sprintf("host_%05d", n), metrics.Metrics.Name, ""),
			entry("rack", metrics.Metrics.Name, fmt.Sprintf("disk_%05d", n)))
	}
	client, err := dynamo.NewClient(ctx, stack.Region, s.Endpoint)
	if err != nil {
		return err
	}
	write := func(ctx context.Context, batch []types.WriteRequest) error {
		out, err := client.BatchWriteItem(ctx,
			&dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{s.Table: batch}})
		if err == nil && len(out.UnprocessedItems) > 0 {
			err = errors.New("some entries were not written")
		}
		return err
	}
	work, within := errgroup.WithContext(ctx)
	work.SetLimit(4)
	for batch := range slices.Chunk(puts, 25) {
		work.Go(func() error { return write(within, batch) })
	}
	if err := work.Wait(); err != nil {
		return fmt.Errorf("write the list of series: %w", err)
	}
	return write(ctx, []types.WriteRequest{entry("old", "GONE", "")})
}

const viewDays = 12

// views returns the page views of a site: on each of the last days eight visits of one to three views.
func views() (all []map[string]any) {
	regions, channels := []string{"DE-BY", "US-CA", "IN-KA"}, []string{"Direct", "Organic Search"}
	for day := range viewDays {
		for visit := range 8 {
			begun := machine.Now().UTC().Add(-time.Duration(day)*24*time.Hour - time.Duration(visit+1)*40*time.Minute)
			paths := []string{"/", "/pricing", fmt.Sprintf("/docs/%d-%d", day, visit)}
			for view := range 1 + visit%3 {
				all = append(all, map[string]any{
					"siteId": site, "id": fmt.Sprintf("%d-%d-%d", day, visit, view), "timestamp": begun.Add(time.Duration(view) * time.Minute).Format(time.RFC3339),
					"visitor": fmt.Sprintf("v%d-%d", day, visit), "path": paths[view], "country": regions[visit%3][:2], "region": regions[visit%3], "channel": channels[visit%2],
				})
			}
		}
	}
	return all
}

func post(t *testing.T, url string, body any) {
	t.Helper()
	call(t, http.MethodPost, url, body)
}

func call(t *testing.T, method, url string, body any) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if printed, _ := io.ReadAll(response.Body); response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s: %s", method, url, response.Status, printed)
	}
}

// sample writes some lines of the logger to a file.
func sample(t *testing.T) string {
	t.Helper()
	zipped, err := os.Open("../data/loggers.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	text, err := gzip.NewReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	lines := bufio.NewScanner(text)
	for n := 0; lines.Scan(); n++ {
		if n == 0 || strings.Contains(lines.Text(), device) && n%oneLineIn == 0 {
			fmt.Fprintln(&out, lines.Text())
		}
	}
	path := filepath.Join(t.TempDir(), "loggers.csv")
	if err := errors.Join(lines.Err(), os.WriteFile(path, out.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}
