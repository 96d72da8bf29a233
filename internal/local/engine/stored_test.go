package engine

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func noTime() model.Time { return 0 }

func TestStored_IsTheItem(t *testing.T) {
	s := func(text string) item.Value { return item.Value{Type: item.S, S: text} }
	for _, it := range []item.Item{
		nil,
		{"pk": s("a")},
		{"pk": s("a"), "sk": s(""), "long": s(strings.Repeat("é", 70_000)),
			strings.Repeat("n", 200): s("x")},
		{"n": item.Number(-7), "b": {Type: item.B, B: []byte{0, 255}}, "no bytes": {Type: item.B},
			"yes": {Type: item.Bool, Bool: true}, "no": {Type: item.Bool}, "null": {Type: item.Null},
			"list": {Type: item.Nested, S: `[1,{"k":null}]`}, "set": {Opaque: Typed(`{"SS":["a","b"]}`)}},
	} {
		if got := store(it).item(); !EqualItems(got, it) {
			t.Errorf("%.200v is stored as %.200v", it, got)
		}
		if again := store(store(it).item()); again != store(it) {
			t.Errorf("%.200v has two stored forms", it)
		}
	}
}

// What a reader changes in its item must not change the table.
func TestGet_ReturnsAnItemOfTheReader(t *testing.T) {
	table, k := New(Schema{Partition: "pk"}, Options{}, noTime), keys.Key{PK: "a"}
	it := item.Item{"pk": {Type: item.S, S: "a"}, "b": {Type: item.B, B: []byte("b")}}
	if _, err := table.Write("", [32]byte{}, []Action{{Kind: Put, Key: k, Item: it}}); err != nil {
		t.Fatal(err)
	}
	read, _ := table.Get(k)
	read["b"].B[0] = 'x'
	delete(read, "pk")
	if again, _ := table.Get(k); !EqualItems(again, it) {
		t.Errorf("the table has %v, want %v", again, it)
	}
}

// An event with its place, its expiry and its stream record takes half a kilobyte.
func TestTable_HoldsEventsInLittleMemory(t *testing.T) {
	const events, most = 20_000, 600
	schema := Schema{Partition: keys.AttrPK, Sort: keys.AttrSK}
	table := New(schema, Options{TTL: keys.AttrExpiresAt, Stream: true}, noTime)
	before := heap()
	for n := range events {
		attrs := model.Attrs{{Name: "humidity", Value: model.NumberValue(model.NewDecimal(int64(n)))},
			{Name: "temperature", Value: model.NumberValue(model.MustDecimal(fmt.Sprintf("%d.5", n)))}}
		at := model.NewTime(time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC))
		series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING"}
		e := model.Event{Series: series, Order: model.Order{At: at}, Attrs: attrs,
			Hash: model.HashAttrs(attrs), ArrivedAt: at, ExpiresAt: at.Seconds()}
		it := item.FromEvent(&e)
		if _, err := table.Write("", [32]byte{}, []Action{{Kind: Put, Key: it.Key(), Item: it}}); err != nil {
			t.Fatal(err)
		}
	}
	if each := (heap() - before) / events; each > most {
		t.Errorf("an event takes %d bytes, want at most %d", each, most)
	}
	runtime.KeepAlive(table)
}

// heap returns the bytes that are in use.
func heap() uint64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
