//go:build unix

package stack

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// sender is a program that sends the hour, and prints a line for each batch that was accepted.
type sender struct {
	name    string
	needs   string   // the tool for testenv.Missing; "" if it is always there
	command []string // the program is a path, or its name in PATH
	// written finds the number of points in the line of a batch. nil is for a program that begins at
	// the minute in its last argument, prints each minute and ends. Others send the whole hour
	// whenever they start.
	written *regexp.Regexp
	rollups string // path of the rollups of a series, up to its number
	measure string
}

func senders() []sender {
	const python = "../../../build/venv/bin/python"
	metrics := func(host, stream string) string {
		return "/v1/hosts/" + host + "/metrics/rollups/hour?stream=" + url.QueryEscape(stream)
	}
	return []sender{
		{name: "influxdb-client", needs: "python", command: []string{python, "testdata/senders/influx.py"},
			rollups: metrics("influx", "cpu,cpu=cpu"), measure: "usage"},
		{name: "OpenTelemetry for Python", needs: "python", command: []string{python, "testdata/senders/otel.py"},
			rollups: metrics("otel-python", "usage,cpu=cpu"), measure: "value"},
		{name: "OpenTelemetry for Go", command: []string{os.Args[0]},
			rollups: metrics("otel-go", "usage,cpu=cpu"), measure: "value"},
		{name: "mosquitto_pub", needs: "mosquitto", command: []string{"sh", "testdata/senders/mosquitto.sh"},
			rollups: "/v1/devices/mosquitto/readings/rollups/hour?stream=cpu", measure: "temperature"},
		{name: "Telegraf", needs: "telegraf", command: []string{"../../../build/telegraf", "--config", "testdata/senders/telegraf.conf"},
			written: regexp.MustCompile(`Wrote batch of (\d+) metrics`),
			rollups: metrics("telegraf", "cpu,cpu=cpu"), measure: "usage"},
	}
}

// installed ends the test if the sender is not installed.
func (p sender) installed(t *testing.T) {
	t.Helper()
	program := p.command[0]
	if p.needs == "mosquitto" {
		program = "mosquitto_pub"
	}
	if _, err := exec.LookPath(program); err != nil {
		testenv.Missing(t, p.needs, p.name+" is not installed: .ci/run installs it if it can reach its packages")
	}
}

// kills kills processes of ingest and aggregate, and the sender, at random. A sender that is killed
// all the time never ends, so each can be killed a limited number of times.
type kills struct {
	stack              *Stack
	random             *rand.Rand
	batches            int // accepted so far
	functions, senders int // killed, or to be killed
}

const mostKills = 6

// after decides what to kill after an accepted batch: at least one process of each. It returns
// true to kill the sender.
func (k *kills) after() bool {
	k.batches++
	if k.functions < mostKills && (k.batches == 2 || k.random.IntN(3) == 0) {
		k.functions++
		k.stack.Function(ingest).KillNext([]Moment{Running, Responding}[k.random.IntN(2)])
	}
	if k.random.IntN(10) == 0 {
		k.stack.KillNext(Responding)
	}
	if k.senders < mostKills/2 && (k.batches == 5 || k.random.IntN(10) == 0) {
		k.senders++
		return true
	}
	return false
}

// Real senders send a known hour while they and the functions are killed with signal 9. Each is
// started again where the former process had reported its last batch, or at the beginning, and
// repeats batches by its own rules. No point is lost, and none is counted twice.
func TestSenders_RealOnesLoseNothingWhenTheyAndTheFunctionsAreKilled(t *testing.T) {
	testenv.LongOnly(t)
	s := startStack(t, func(o *Options) { o.MQTT = "127.0.0.1:0" })
	for _, p := range senders() {
		t.Run(p.name, func(t *testing.T) {
			p.installed(t)
			seed := uint64(time.Now().UnixNano())
			k := &kills{stack: s, random: rand.New(rand.NewPCG(seed, 0))}
			deaths := len(s.Function(ingest).Deaths())
			began := time.Now()
			for from, done := 0, false; !done; {
				from, done = p.run(t, k, from)
			}
			took := time.Since(began)
			if err := s.Idle(t.Context()); err != nil {
				t.Fatal(err)
			}
			if deaths = len(s.Function(ingest).Deaths()) - deaths; deaths == 0 || k.senders == 0 {
				t.Errorf("%d processes of ingest and %d of the sender killed: the test did not test anything", deaths,
					k.senders)
			}
			for n := range hourSeries {
				var got hours
				get(t, s.URL+p.rollups+strconv.Itoa(n), &got)
				if len(got.Rollups) != 1 || got.Rollups[0].Measures[p.measure].Count != hourMinutes ||
					got.Rollups[0].Measures[p.measure].Sum != "1770" {
					t.Errorf("seed %d: series %d: %+v; want %d points, in all 1770", seed, n, got, hourMinutes)
				}
			}
			t.Logf("seed %d: %d points in %.1f s, %d batches accepted, %d processes of ingest and %d "+
				"senders killed: 0 lost, 0 double",
				seed, hourMinutes*hourSeries, took.Seconds(), k.batches, deaths, k.senders)
		})
	}
}

// run runs the sender until it ends, has sent the hour or is killed. It returns the minute to
// begin at when it was killed.
func (p sender) run(t *testing.T, k *kills, from int) (next int, done bool) {
	t.Helper()
	args := p.command[1:]
	if p.written == nil {
		args = append(args[:len(args):len(args)], strconv.Itoa(from))
	}
	cmd := exec.Command(p.command[0], args...)
	cmd.Env = append(os.Environ(), "TIDEMARK_URL="+k.stack.URL, "TIDEMARK_MQTT="+k.stack.MQTT,
		"HOUR="+writeHour(t), envPlay+"=otel")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	kill := func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	points := 0
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&log, lines.Text())
		number, ok := p.number(lines.Text())
		if !ok {
			continue
		}
		if p.written == nil {
			from = number + 1
		} else if points += number; points == hourMinutes*hourSeries {
			kill()
			cmd.Wait()
			return 0, true
		}
		if k.after() {
			kill()
			cmd.Wait()
			return from, false
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%s: %v:\n%s", p.name, err, log.String())
	}
	return from, true
}

// number returns the number in the line of a batch: its minute, or how many points it has.
func (p sender) number(line string) (n int, ok bool) {
	if p.written != nil {
		found := p.written.FindStringSubmatch(line)
		if found == nil {
			return 0, false
		}
		line = found[1]
	}
	n, err := strconv.Atoi(line)
	return n, err == nil
}

// writeHour writes the hour of Telegraf as a file of line protocol and returns its path.
func writeHour(t *testing.T) string {
	t.Helper()
	var lines strings.Builder
	for minute := range hourMinutes {
		for cpu := range hourSeries {
			fmt.Fprintf(&lines, "cpu,cpu=cpu%d,host=telegraf usage=%d %d000000000\n", cpu, minute, hourStart+60*minute)
		}
	}
	path := filepath.Join(t.TempDir(), "hour.lp")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
