package telemetry_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
)

func TestNewLogger_WritesOneJSONObjectALineAtOrAboveItsLevel(t *testing.T) {
	var out bytes.Buffer
	log := telemetry.NewLogger(&out, slog.LevelInfo)
	log.Debug("not this")
	log.Info("batch folded",
		telemetry.FieldKind, "READING", telemetry.FieldSeries, "DEVICE/sensor_01 READING",
		telemetry.FieldOutcome, "applied", telemetry.FieldCount, 3, telemetry.FieldLag, 250,
		telemetry.FieldRequestID, "r-1")

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

// The text of an error comes from AWS, from callers and from devices: it may contain anything.
func TestNewLogger_WritesValidJSONWhateverTheErrorText(t *testing.T) {
	for _, text := range []string{
		"", "two\nlines\r\n", `"quoted" \ and {"level":"ERROR"}`, "\x00\x1b[31mred\x7f", "broken \xff\xfe utf-8 \xed\xa0\x80",
		"\u2028 and \u2029", "</script><!--", "%!s(MISSING) %d", strings.Repeat("long ", 100_000),
	} {
		var out bytes.Buffer
		log := telemetry.NewLogger(&out, slog.LevelInfo)
		log.Error("cannot write: "+text, telemetry.FieldError, errors.New(text), telemetry.FieldSeries, text, text,
			text)
		if n := strings.Count(out.String(), "\n"); n != 1 {
			t.Fatalf("%.40q: %d lines, want 1", text, n)
		}
		if !utf8.Valid(out.Bytes()) {
			t.Errorf("%.40q: the line is not UTF-8", text)
		}
		if got := decode(t, out.Bytes()); got["level"] != "ERROR" ||
			got[telemetry.FieldError] != strings.ToValidUTF8(text, "\ufffd") && utf8.ValidString(text) {
			t.Errorf("%.40q: level %v, error %.40q", text, got["level"], got[telemetry.FieldError])
		}
	}
}
