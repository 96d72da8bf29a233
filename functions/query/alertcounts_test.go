package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// raised is an alert of a device some time ago.
type raised struct {
	device string
	ago    time.Duration
	of     storage.Severity
	is     storage.AlertStatus
}

func anAlert(device string, ago time.Duration, of storage.Severity, is storage.AlertStatus) raised {
	return raised{device: device, ago: ago, of: of, is: is}
}

// raise stores alerts, and lists their devices.
func raise(t *testing.T, h *Handler, all ...raised) {
	t.Helper()
	table := h.Query.Store.(*memory.Table)
	for i, r := range all {
		series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: r.device}, Kind: "READING"}
		at := now.Add(-r.ago)
		a := &storage.Alert{ID: fmt.Sprintf("%026d", (int64(at)<<16)+int64(i)), Rule: "hot.1", Severity: r.of,
			Measure: "temperature", Limit: "above 30", Series: series,
			Violation: storage.Violation{Raised: model.Order{At: at}, Value: model.MustDecimal("31.5")}}
		switch r.is {
		case storage.AlertWithdrawn:
			a.Withdrawn = "its event was deleted"
		case storage.AlertResolved:
			a.Resolved = &storage.ManualAction{At: at, By: "ops"}
		}
		listed := storage.ListedSeries{Series: series, First: at, Last: at}
		for _, it := range []item.Item{item.FromAlert(a, 0), item.FromListedSeries(listed)} {
			if err := table.PutItem(t.Context(), it); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestCountAlerts_RanksTheSubjectsOfAType(t *testing.T) {
	t.Parallel()
	h := everyRoute(t)
	const day = 24 * time.Hour
	raise(t, h,
		anAlert("acme:1", time.Hour, storage.Warning, storage.AlertOpen),
		anAlert("acme:1", 2*time.Hour, storage.Warning, storage.AlertResolved),
		anAlert("acme:1", 20*day, storage.Warning, storage.AlertResolved),
		anAlert("acme:1", 91*day, storage.Warning, storage.AlertOpen), // from before it is known for all
		anAlert("acme:2", time.Hour, storage.Critical, storage.AlertWithdrawn),
		anAlert("other:1", time.Hour, storage.Info, storage.AlertOpen),
		anAlert("other:1", time.Hour, storage.Critical, storage.AlertOpen),
		anAlert("other:2", time.Hour, storage.Critical, storage.AlertOpen),
		anAlert("other:2", time.Hour, storage.Critical, storage.AlertResolved),
	)
	counts := func(id string, alerts, critical, warning, info, open int, newest string) string {
		return fmt.Sprintf(
			`{"subject":%q,"alerts":%d,"critical":%d,"warning":%d,"info":%d,"open":%d,"newest":%q}`,
			id, alerts, critical, warning, info, open, newest)
	}
	hourAgo := now.Add(-time.Hour).String()
	ofTwo, ofOne := counts("other:2", 2, 2, 0, 0, 1, hourAgo), counts("other:1", 2, 1, 0, 1, 2, hourAgo)
	recently := counts("acme:1", 2, 0, 2, 0, 1, hourAgo)
	kept := now.Add(-storage.AlertsCounted - 30*time.Minute) // the whole hour
	for _, c := range []struct{ owner, query, want string }{
		{"", "", `"subjects":[` + counts("acme:1", 3, 0, 3, 0, 1, hourAgo) + "," + ofTwo + "," + ofOne + `]`},
		{"", "?last=7d", `"subjects":[` + ofTwo + "," + ofOne + "," + recently + `]`},
		{"", "?severity=info", `"subjects":[` + counts("other:1", 1, 0, 0, 1, 1, hourAgo) + `]`},
		{"", "?to=" + now.Add(-90*time.Minute).String(), `"subjects":[` +
			counts("acme:1", 2, 0, 2, 0, 0, now.Add(-2*time.Hour).String()) + `]`},
		{"", "", `"from":"` + kept.String() + `"`},
		{"", "?last=100d", `"missing":[{"tier":"events","from":"` + now.Add(-100*day).String() + `","to":"` +
			kept.String() + `","reason":`},
		{"", "?from=2020-01-01&to=2020-02-01", `"subjects":[],"missing":[{"tier":"events",` +
			`"from":"2020-01-01T00:00:00.000Z","to":"2020-02-01T00:00:00.000Z"`},
		{"acme", "?last=7d", `"subjects":[` + recently + `]`},
		{"", "?severity=loud", "/problems/unknown-severity"},
		{"", "?from=2026-04-20&to=2026-04-20", "/problems/inverted-range"},
		{"", "?cursor=x", "/problems/forged-cursor"},
	} {
		h.OwnerClaim = ""
		claims := map[string]string{}
		if c.owner != "" {
			h.OwnerClaim, claims["tenant"] = "tenant", c.owner
		}
		if r := getAs(t, h, "/v1/alerts/devices/counts"+c.query, claims); !strings.Contains(r.Body, c.want) {
			t.Errorf("%s of %q: %s\nwant %s", c.query, c.owner, r.Body, c.want)
		}
	}
}

// A subject with too many alerts had at least so many.
func TestCountAlerts_SaysWhatItDidNotRead(t *testing.T) {
	t.Parallel()
	h := everyRoute(t)
	var all []raised
	for range query.MaxAlertsCounted + 1 {
		all = append(all, anAlert("d0000", time.Hour, storage.Info, storage.AlertResolved))
	}
	raise(t, h, all...)
	r := get(t, h, "/v1/alerts/devices/counts?last=1d&severity=info")
	if want := `{"subject":"d0000","alerts":10000,`; !strings.Contains(r.Body, want) ||
		!strings.Contains(r.Body, `"atLeast":true`) {
		t.Errorf("%.300s, want %s and atLeast", r.Body, want)
	}
}
