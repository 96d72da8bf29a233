package api

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// hostile is a request of a caller who wants to read, write or break what is not theirs.
type hostile struct {
	method, target string
	status         int
	body           string
}

// hostileRequests reads the rows of testdata/hostile.txt.
func hostileRequests(t *testing.T) (all []hostile) {
	t.Helper()
	text, err := os.ReadFile("testdata/hostile.txt")
	if err != nil {
		t.Fatal(err)
	}
	var many []string
	for i := range 2_000 {
		many = append(many, fmt.Sprintf(`"f%d":%d`, i, i))
	}
	fill := strings.NewReplacer("$deep", strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000),
		"$long", strings.Repeat("x", 6_000), "$many", strings.Join(many, ","))
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := append(strings.SplitN(strings.TrimSpace(line), " ", 4), "")
		status, err := strconv.Atoi(cells[2])
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		all = append(all, hostile{
			method: cells[0], target: fill.Replace(cells[1]), status: status, body: fill.Replace(cells[3]),
		})
	}
	return all
}

// inside is what no caller may learn: names of AWS's services and errors, and of our code.
var inside = regexp.MustCompile(
	`(?i)dynamo|amazon|\baws|arn:|exception|goroutine|panic|\.go:\d|stack trace|internal server`)

func TestAPI_HostileRequestsAreRefusedWithAReason(t *testing.T) {
	s := start(t)
	all := hostileRequests(t)
	if len(all) < 100 {
		t.Errorf("%d requests, want at least 100", len(all))
	}
	for _, h := range all {
		short := fmt.Sprintf("%s %.90s %.70s", h.method, h.target, h.body)
		a := s.send(t, h.method, h.target, []byte(h.body), "Content-Type", "application/json")
		if a.status != h.status {
			t.Errorf("%s: %d %.300s; want %d", short, a.status, a.body, h.status)
		}
		if a.status >= 400 && a.problemType() == "" && !strings.Contains(string(a.body), `"message"`) {
			t.Errorf("%s: %d without a reason: %.300s", short, a.status, a.body)
		}
		if found := inside.Find(a.body); found != nil {
			t.Errorf("%s: the response says %q: %.300s", short, found, a.body)
		}
	}
	s.waitUntilIdle(t)
	if a := s.send(t, "GET", "/v1/devices", nil); a.status != 200 || strings.Contains(string(a.body), `"id"`) {
		t.Errorf("after requests that are all refused there are devices: %d %s", a.status, a.body)
	}
}
