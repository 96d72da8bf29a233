package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// watcher tests the alert rules of what changes touch; alert.Service is one.
type watcher interface {
	// Look reports the places of the changes whose series it could not look at.
	Look(ctx context.Context, changes []model.Change) alert.Report
	// Deliver tells of alerts once; what is not taken waits for DeliverWaiting.
	Deliver(ctx context.Context, notices []model.Notice) (delivered int, err error)
	DeliverWaiting(ctx context.Context) (alert.Waiting, error)
	// SweepRemoved ends the alerts that were opened by rules which had just been removed.
	SweepRemoved(ctx context.Context) (ended int, err error)
}

// telling is how long a batch may take to tell of its alerts: the rest is the schedule's.
const telling = 5 * time.Second

// look has the alert rules tested beside the rollups, and tells of what came of it. That
// somebody could not be told holds nothing up: it is stored, and the schedule tells it.
func (h *handler) look(ctx context.Context, changes []model.Change, unsettled map[string]error) telemetry.Counts {
	if h.alerts == nil {
		return nil
	}
	report := h.alerts.Look(ctx, changes)
	for _, f := range report.Failures {
		unsettled[changes[f.Change].Seq] = f.Err
	}
	for _, note := range report.Notes {
		h.log.Error("alert rules not tested", telemetry.FieldError, note)
	}
	soon, cancel := context.WithTimeout(ctx, telling)
	defer cancel()
	delivered, err := h.alerts.Deliver(soon, report.Told)
	if err != nil {
		h.log.Warn("alerts wait to be told", "waiting", len(report.Told)-delivered, telemetry.FieldError, err.Error())
	}
	for i := range report.Told {
		h.tellOf(&report.Told[i])
	}
	if report.Looks == 0 {
		return nil // no rules: what nobody uses is not published, for a metric has its price
	}
	return telemetry.Counts{
		telemetry.AlertLooks:      float64(report.Looks),
		telemetry.AlertsRaised:    float64(report.Raised),
		telemetry.AlertsRecovered: float64(report.Recovered),
		telemetry.AlertsWithdrawn: float64(report.Withdrawn),
		telemetry.AlertsTold:      float64(delivered),
		telemetry.AlertsRefused:   float64(len(report.Told) - delivered),
		telemetry.AlertFaults:     float64(report.Damaged),
	}
}

// tellOf names an alert, and not what was measured: its id finds that.
func (h *handler) tellOf(n *model.Notice) {
	level := slog.LevelInfo
	if n.Change == model.AlertRaised {
		level = slog.LevelWarn
	}
	h.log.Log(context.Background(), level, "alert "+string(n.Change), "alert", n.Alert.ID, telemetry.FieldSeries, n.Alert.Series.String(),
		"rule", n.Alert.Rule, "severity", string(n.Alert.Severity))
}

// scheduled reports whether a payload is the schedule's.
func scheduled(payload []byte) bool {
	return !bytes.Contains(payload, []byte(`"Records"`)) && bytes.Contains(payload, []byte(`"detail-type"`))
}

// catchUp tells what waits, and ends what removed rules left open. What fails is in the
// log and comes again with the next call.
func (h *handler) catchUp(ctx context.Context) ([]byte, error) {
	if h.alerts == nil {
		return json.Marshal(alert.Waiting{})
	}
	readBefore, writeBefore := h.units()
	ctx, cancel := h.withRoom(ctx)
	defer cancel()
	ended, err := h.alerts.SweepRemoved(ctx)
	if err != nil {
		h.log.Error("alerts of removed rules not ended", telemetry.FieldError, err.Error())
	}
	waiting, err := h.alerts.DeliverWaiting(ctx)
	if err != nil {
		h.log.Error("alerts wait to be told", "waiting", waiting.Left, telemetry.FieldError, err.Error())
	}
	if waiting.Delivered+ended > 0 {
		h.log.Info("alerts", "told", waiting.Delivered, "ended", ended)
	}
	read, write := h.units()
	counts := telemetry.Counts{
		telemetry.AlertsTold:         float64(waiting.Delivered),
		telemetry.AlertsWaiting:      float64(waiting.Left),
		telemetry.OldestAlertWaiting: waiting.Oldest.Seconds(),
		telemetry.ReadUnits:          read - readBefore,
		telemetry.WriteUnits:         write - writeBefore,
	}
	if err := h.metrics.Emit(h.function, "", counts); err != nil {
		h.log.Error("metrics not written", telemetry.FieldError, fmt.Sprint(err))
	}
	return json.Marshal(waiting)
}
