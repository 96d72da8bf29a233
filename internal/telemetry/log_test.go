package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/telemetry"
)

func TestNewLogger_WritesOneJSONObjectALineAtOrAboveItsLevel(t *testing.T) {
	var out bytes.Buffer
	log := telemetry.NewLogger(&out, slog.LevelInfo)
	log.Debug("not this")
	log.Info("batch folded",
		telemetry.FieldKind, "READING", telemetry.FieldSeries, "DEVICE/sensor_01 READING",
		telemetry.FieldOutcome, "applied", telemetry.FieldCount, 3, telemetry.FieldLag, 250, telemetry.FieldRequestID, "r-1")

	if strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("want one line, got %q", out.String())
	}
	got := decode(t, out.Bytes())
	for field, want := range map[string]any{
		"level": "INFO", "msg": "batch folded", "kind": "READING", "series": "DEVICE/sensor_01 READING",
		"outcome": "applied", "count": 3.0, "lag_ms": 250.0, "request_id": "r-1",
	} {
		if got[field] != want {
			t.Errorf("%s = %v, want %v", field, got[field], want)
		}
	}
}
