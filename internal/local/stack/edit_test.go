package stack

import (
	"net/http"
	"strings"
	"testing"
)

// Edits through the deployed functions: each is followed by the table stream's record, which
// recomputes every tier.
func TestStack_RollupsFollowCorrectionsAndDeletions(t *testing.T) {
	s := startStack(t, nil)
	const series = "/v1/devices/sensor_01/readings"
	post := func(body string, status int) string {
		t.Helper()
		resp, text := send(t, "POST", s.URL+"/v1/readings", "application/json", []byte(body))
		if resp.StatusCode != status {
			t.Fatalf("%s: %d %s, want %d", body, resp.StatusCode, text, status)
		}
		return text
	}
	want := func(step string, count int, sum string) {
		t.Helper()
		if err := s.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, tier := range []string{"hour", "day", "month"} {
			var got hours
			get(t, s.URL+series+"/rollups/"+tier, &got)
			if len(got.Rollups) != 1 || !got.Rollups[0].Exact ||
				got.Rollups[0].Measures["temperature"].Count != count ||
				got.Rollups[0].Measures["temperature"].Sum.String() != sum {
				t.Errorf("%s: the %s is %+v, want %d readings, in all %s", step, tier, got, count, sum)
			}
		}
	}
	post(`{"deviceId":"sensor_01","timestamp":"2026-11-01T14:00:00Z","temperature":224}`, http.StatusOK)
	post(`{"deviceId":"sensor_01","timestamp":"2026-11-01T14:01:00Z","temperature":22}`, http.StatusOK)
	want("appended", 2, "246")

	first := s.URL + series + "/2026-11-01T14:00:00Z"
	other := `{"deviceId":"sensor_01","timestamp":"2026-11-01T14:00:00Z","temperature":22.4}`
	text := post(other, http.StatusConflict)
	if !strings.Contains(text, "collision") || !strings.Contains(text, "PUT /v1/") {
		t.Errorf("another value of the same time: %s, want a collision that says how to correct it", text)
	}
	resp, err := http.Get(first)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	edit := func(method, target, tag, body string, status int) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("If-Match", tag)
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		got.Body.Close()
		if got.StatusCode != status {
			t.Errorf("%s %s with %s: %d, want %d", method, target, tag, got.StatusCode, status)
		}
	}
	tag := resp.Header.Get("ETag")
	edit("PUT", first, tag, `{"temperature":22.4}`, 200)
	want("corrected", 2, "44.4")
	edit("DELETE", first, tag, "", 412) // the tag of the event before its correction
	edit("DELETE", s.URL+series+"/2026-11-01T14:01:00Z", "*", "", 200)
	want("deleted", 1, "22.4")
	edit("DELETE", s.URL+series+"/2026-11-01T14:01:00Z", "*", "", 404)
}
