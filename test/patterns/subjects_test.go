package patterns

import (
	"context"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// profilePatterns read and list profiles.
var profilePatterns = []pattern{
	{
		about: "a device by its id",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.subjects.Get(ctx, device)
		},
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.Profile(ctx, device, false)
		},
		action: httpapi.ReadProfile, of: "DEVICE", words: []string{"sensor_01"},
		command: "tidemark subject get devices/sensor_01",
	},
	{
		about: "devices by status",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.subjects.ListByField(ctx, "DEVICE", "status", "active", lifecycle.Cursor{}, 100)
		},
		action: httpapi.ListSubjects, of: "DEVICE", params: "field=status&value=active",
		command: "tidemark subject list devices status=active",
	},
	{
		about: "devices that were silent for 30 minutes",
		call: func(ctx context.Context, w *world) (any, error) {
			silent, _, err := w.readings.Silent(ctx, 30*time.Minute)
			return silent, err
		},
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.query.Silent(ctx, query.Silent{
				SubjectType: "DEVICE", Kinds: query.CatalogKinds(w.kinds), Through: at(now),
				For: 30 * time.Minute, Limit: 100,
			})
		},
		action: httpapi.ListSilent, of: "DEVICE", params: "for=30m",
		command: "tidemark ls devices --silent 30m",
	},
	{
		about: "deleted devices, latest first",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.subjects.ListDeleted(ctx, "DEVICE", lifecycle.Cursor{}, 100)
		},
		action: httpapi.ListSubjects, of: "DEVICE", params: "deleted=true",
		command: "tidemark subject list devices --deleted",
	},
	{
		about: "a deleted device",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.subjects.Deleted(ctx, model.Subject{Type: "DEVICE", ID: "sensor_07"})
		},
		action: httpapi.ReadDeleted, of: "DEVICE", words: []string{"sensor_07"},
		command: "tidemark subject get devices/sensor_07 --deleted",
	},
	{
		about: "versions of a device, newest first",
		call: func(ctx context.Context, w *world) (any, error) {
			page, _, err := w.subjects.Versions(ctx, device, 0, 20)
			return page, err
		},
		action: httpapi.ReadVersions, of: "DEVICE", words: []string{"sensor_01"}, params: "limit=20",
		command: "tidemark subject versions devices/sensor_01",
	},
	{
		about: "one version of a device",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.subjects.Version(ctx, device, 1)
		},
		action: httpapi.ReadVersion, of: "DEVICE", words: []string{"sensor_01", "1"},
		command: "tidemark subject versions devices/sensor_01 --version 1",
	},
	{
		about: "the progress of a purge",
		call: func(ctx context.Context, w *world) (any, error) {
			return w.purger.Progress(ctx, model.Subject{Type: "DEVICE", ID: "sensor_08"})
		},
		action: httpapi.CheckPurge, of: "DEVICE", words: []string{"sensor_08"},
	},
}

// alertPatterns read alerts and rules.
var alertPatterns = []pattern{
	{
		about: "alerts of a device, newest first",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.alerts.ListBySubject(ctx, device, alert.Filter{}, alert.Cursor{}, 20)
		},
		action: httpapi.ListAlerts, of: "DEVICE", words: []string{"sensor_01"}, params: "limit=20",
		command: "tidemark alerts devices/sensor_01",
	},
	{
		about: "open critical alerts of all devices",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.alerts.ListOpen(ctx, storage.Critical, alert.Cursor{}, 100)
		},
		action: httpapi.ListOpenAlerts, of: "DEVICE", params: "severity=critical",
		command: "tidemark alerts --severity critical",
	},
	{
		about: "devices with the most alerts in 90 days",
		measured: func(ctx context.Context, w *world) (any, error) {
			q := query.AlertCounts{SubjectType: "DEVICE", From: model.MinTime, To: model.MaxTime}
			page, err := w.query.AlertCounts(ctx, q)
			return page.Subjects, err
		},
		action: httpapi.CountAlerts, of: "DEVICE",
		command: "tidemark top devices --alerts",
	},
	{
		about: "one alert",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.alerts.Get(ctx, device, "01KPN3Q8G0V7H4T2W9R5M6C1XA")
		},
		action: httpapi.ReadAlert, of: "DEVICE", words: []string{"sensor_01", "01KPN3Q8G0V7H4T2W9R5M6C1XA"},
	},
	{
		about: "rules of all devices",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.alerts.Rules(ctx, "DEVICE", "")
		},
		action: httpapi.ListRules, of: "DEVICE",
		command: "tidemark rule list devices",
	},
	{
		about: "rules of one device",
		measured: func(ctx context.Context, w *world) (any, error) {
			return w.alerts.Rules(ctx, "DEVICE", "sensor_01")
		},
		action: httpapi.ListOwnRules, of: "DEVICE", words: []string{"sensor_01"},
		command: "tidemark rule list devices/sensor_01",
	},
}
