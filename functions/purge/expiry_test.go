package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const firstRecordFails = `{"batchItemFailures":[{"itemIdentifier":"100000000000000000001"}]}`

func TestExpiry_RemovesVersionsAndUniqueValuesOfTheGeneration(t *testing.T) {
	f := newFixture(t)
	// the one in the sample
	generation := model.Generation{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	for n := range int64(2) {
		v := model.ProfileVersion{Profile: model.Profile{Subject: sensor, Version: n + 1, Generation: generation},
			Change: model.ProfileCreated}
		if err := f.table.PutItem(t.Context(), item.FromProfileVersion(&v)); err != nil {
			t.Fatal(err)
		}
	}
	f.sample("restored")
	if items, _, _ := f.table.Scan(t.Context(), keys.Key{}); len(items) != 2 {
		t.Errorf("restoring the subject removed %d of 2 versions, want none", 2-len(items))
	}
	f.sample("expiry")
	if items, _, _ := f.table.Scan(t.Context(), keys.Key{}); len(items) != 0 {
		t.Errorf("%d versions of the expired generation are left", len(items))
	}
}

func TestExpiry_AFailedCleanupIsDeliveredAgain(t *testing.T) {
	f := newFixtureOn(t, func(m *memory.Table) store {
		return &storetest.FaultyStore{Store: m, Reads: func(storetest.Call) bool { return true }}
	})
	if got := f.sample("expiry"); got != firstRecordFails {
		t.Errorf("got %s, want %s", got, firstRecordFails)
	}
	if !strings.Contains(f.out.String(), `"StepFailures":1`) {
		t.Errorf("the failure is not counted: %s", f.out.String())
	}
	if strings.Contains(f.out.String(), `"GenerationsEnded":1`) {
		t.Errorf("the generation is counted as ended: %s", f.out.String())
	}
}

func TestExpiry_AnUnreadableTombstoneIsDeliveredAgain(t *testing.T) {
	f := newFixture(t)
	payload, err := os.ReadFile(filepath.Join(samples, "expiry.json"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Replace(payload, []byte(`"B": "AQIDBAUGBwgJCgsMDQ4PEA=="`), []byte(`"S": "damaged"`), 1)
	if response, err := f.Invoke(t.Context(), damaged); err != nil || string(response) != firstRecordFails {
		t.Errorf("got %s, %v; want %s", response, err, firstRecordFails)
	}
}
