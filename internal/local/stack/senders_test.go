package stack

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

// A sender writes a known hour as Telegraf does: it repeats each batch until the response is
// 204. Ingest and aggregate are killed at random, also between the writes and the response. No
// point is lost, and none is counted twice.
func TestSenders_LoseNothingWhenProcessesAreKilled(t *testing.T) {
	s := startStack(t, nil)
	const minutes, cpus = 60, 10
	seed := uint64(time.Now().UnixNano())
	random := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	requests, repeats := 0, 0
	for minute := range minutes {
		if n := random.IntN(3); n > 0 {
			s.Function(ingest).KillNext([]Moment{Running, Responding}[n-1])
		}
		if random.IntN(10) == 0 {
			s.KillNext(Responding)
		}
		var lines strings.Builder
		for cpu := range cpus {
			fmt.Fprintf(&lines, "cpu,cpu=cpu%d,host=web-1 usage=%d %d\n", cpu, minute, 1776693600+60*minute)
		}
		for sent := false; !sent; requests++ {
			resp, err := http.Post(s.URL+"/api/v2/write?bucket=b&precision=s", "text/plain",
				strings.NewReader(lines.String()))
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if sent = resp.StatusCode == http.StatusNoContent; !sent {
				repeats++
			}
			if resp.StatusCode/100 == 4 {
				t.Fatalf("minute %d: %s %s; want 204 or a response after which the batch is sent again", minute,
					resp.Status, body)
			}
		}
	}
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	deaths := len(s.Function(ingest).Deaths())
	if deaths == 0 || repeats == 0 {
		t.Errorf("%d processes of ingest killed, %d batches repeated: the test did not test anything", deaths,
			repeats)
	}
	for cpu := range cpus {
		var got hours
		get(t, fmt.Sprintf("%s/v1/hosts/web-1/metrics/rollups/hour?stream=%s", s.URL,
			url.QueryEscape(fmt.Sprintf("cpu,cpu=cpu%d", cpu))), &got)
		if len(got.Rollups) != 1 || got.Rollups[0].Measures["usage"].Count != minutes ||
			got.Rollups[0].Measures["usage"].Sum != "1770" || !got.Rollups[0].Exact {
			t.Errorf("cpu%d: %+v; want %d points, in all 1770", cpu, got, minutes)
		}
	}
	t.Logf("%d points in %d requests, %d of them repeated, %d processes of ingest killed: 0 lost, 0 double",
		minutes*cpus, requests, repeats, deaths)
}
