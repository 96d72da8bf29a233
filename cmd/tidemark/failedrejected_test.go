package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func (b *bench) quarantined(q storage.Quarantined) {
	b.Helper()
	q.ArrivedAt = wallClock()
	if result, err := b.table.Quarantine(b.Context(), q); err != nil || result != storage.Written {
		b.Fatal(result, err)
	}
}

func TestFailed_RejectedListsShowsAndRetries(t *testing.T) {
	b := newBench(t)
	subject := model.Subject{Type: "DEVICE", ID: "a"}
	b.quarantined(storage.Quarantined{ID: "q1", Source: "iot", Subject: subject, Reason: "the clock was ahead",
		Errors:  []model.FieldError{{Field: "timestamp", Code: "ahead", Message: "is ahead"}},
		Payload: []byte(`{"tidemark_subject":"a","timestamp":"2026-11-02T10:00:00Z","temperature":1}`)})
	b.quarantined(storage.Quarantined{ID: "q2", Source: "iot", Subject: subject, Reason: "no time",
		Payload: []byte(`{"tidemark_subject":"a","temperature":1}`)})
	b.quarantined(storage.Quarantined{ID: "q3", Source: "sqs", Reason: "not JSON", Payload: []byte{0xff, 0x00}})

	b.expect(1, words("failed list"), "q1", "q2", "q3", "the clock was ahead", "DEVICE/a")
	if out := b.expect(1, words("failed list --subject devices/a"), "q1", "q2"); len(out) == 0 {
		t.Error("nothing listed")
	}
	b.expect(0, words("failed list --source kinesis"), "nothing failed")
	b.expect(0, words("failed show q1 --subject devices/a"), "timestamp: is ahead (ahead)",
		"  \"temperature\": 1\n")
	b.expect(0, words("failed show q3"), "ff 00")
	b.expect(2, words("failed show q9"), `nothing with the id "q9"`)
	b.expect(2, words("failed list --source inbox"), "--source inbox: want batches, undelivered")
	b.expect(2, words("failed list --source undelivered"), "the table does not tell the queue")
	b.expect(2, words("failed list --source batches --subject devices/a"), "omit --source batches")
	b.expect(2, words("failed list --queue https://q"), "pass --source batches or --source undelivered")
	b.expect(1, words("failed retry --dry-run"), "q1", "q2", "q3")

	b.expect(1, words("failed retry q1 q2"), "iot q1: applied", "iot q2: stays: rejected: timestamp",
		"1 processed and removed, 1 stay")
	b.expect(0, words("history devices/a"), "2026-11-02T10:00:00.000Z")
	b.expect(2, words("failed retry q1"), "nothing with the id")
	b.expect(1, words("failed retry --source rejected"), "0 processed and removed, 2 stay")
}

// A record that could not be decoded, and one whose kind was not declared, are processed
// once the code and the configuration allow it.
func TestFailed_RejectedRetryProcessesRecordsOfTheTableStream(t *testing.T) {
	b := newBench(t)
	b.append("a", "2026-11-02T10:00:00Z 1", "2026-11-03T10:00:00Z 1")
	poison := tablestream.Poison{Seq: "1", EventID: "e1", Reason: "unknown eventName", Record: []byte(
		`{"eventID":"e1","eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"DEVICE#a"},` +
			`"sk":{"S":"EVENT#READING##2026-11-02T10:00:00.000Z#"}},"SequenceNumber":"1"}}`)}
	q := poison.Quarantined()
	q.Source = "stream"
	b.quarantined(q)
	b.quarantined(storage.Quarantined{ID: "undeclared", Source: "stream", Payload: []byte(
		`{"what":"inserted","subject":"DEVICE/a","kind":"READING","stream":"","time":"2026-11-03T10:00:00.000Z","id":""}`)})
	b.quarantined(storage.Quarantined{ID: "stillundeclared", Source: "stream", Payload: []byte(
		`{"what":"inserted","subject":"DEVICE/a","kind":"NOISE","stream":"","time":"2026-11-03T10:00:00.000Z","id":""}`)})
	b.quarantined(storage.Quarantined{ID: "unreadable", Source: "stream",
		Payload: []byte(`{"eventName":"INSERT"}`)})
	b.expect(1, words("verify"), "missing")
	b.expect(1, words("failed retry --source rejected"),
		fmt.Sprintf("stream %s: processed 1 changes", q.ID), "stream undeclared: processed 1 changes",
		"stream stillundeclared: stays", "stream unreadable: stays", "2 processed and removed, 2 stay")
	b.expect(0, words("verify"), equalText)
}

// A retry appends nothing to a subject that is being purged, even if its kind has no
// latest item to hold the lock.
func TestFailed_RejectedRetryAppendsNothingWhileTheSubjectIsPurged(t *testing.T) {
	b := newBench(t)
	for _, site := range []string{"leaving.example", "staying.example"} {
		b.quarantined(storage.Quarantined{ID: site, Source: "sqs",
			Subject: model.Subject{Type: web.Site.Name, ID: site}, Reason: "too early",
			Payload: fmt.Appendf(nil, `{"tidemark_subject":%q,"tidemark_kind":"PAGEVIEW","timestamp":"2026-11-02T10:00:00Z","id":"v1","path":"/"}`, site)})
	}
	b.put(item.FromPurgeLock(&storage.PurgeLock{Subject: model.Subject{Type: web.Site.Name,
		ID: "leaving.example"}, Since: wallClock(), PurgeID: "p1"}))
	b.expect(1, words("failed retry --source rejected"), "leaving.example: stays: gone",
		"staying.example: applied", "1 processed and removed, 1 stay")
	if out := b.expect(0, words("history sites/leaving.example --kind PAGEVIEW")); strings.Contains(out,
		"2026-11-02") {
		t.Errorf("history has the retried event:\n%s", out)
	}
}

// What a device sent must not control the terminal of the reader.
func TestFailed_RejectedReplacesControlCharactersOfDevices(t *testing.T) {
	b := newBench(t)
	const evil = "\x1b[2J\u009b1m\x7f"
	b.quarantined(storage.Quarantined{ID: "q1" + evil, Source: "iot",
		Subject: model.Subject{Type: "DEVICE", ID: "a" + evil}, Reason: "no time" + evil,
		Errors: []model.FieldError{{Field: "f" + evil, Code: "missing", Message: "missing" + evil}}, Payload: []byte("plain\ttext\r\n" + evil)})
	b.quarantined(storage.Quarantined{ID: "q2", Source: "iot",
		Payload: []byte(`{"a":"\u007f` + "\u009b1m\x7f" + `"}`)})
	for _, args := range [][]string{
		words("failed list"), {"failed", "show", "q1" + evil}, words("failed show q2"),
		{"failed", "retry", "q1" + evil},
	} {
		_, out := b.tidemark(args...)
		if terminal.PrintableLines(out) != out || !strings.Contains(out, "·") {
			t.Errorf("tidemark %q printed %q: want each control character replaced", args, out)
		}
	}
	b.expect(0, []string{"failed", "show", "q1" + evil}, "plain\ttext·\n·[2J·1m·", "reason   no time·[2J·1m·\n",
		"error    f·[2J")
}
