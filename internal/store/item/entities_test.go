package item_test

import (
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

func series() model.Series {
	return model.Series{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01"}, Kind: "READING",
		Stream: "status"}
}

func attrs() model.Attrs {
	return model.Attrs{
		{Name: "ack", Value: model.BoolValue(true)},
		{Name: "battery", Value: model.Value{}},
		{Name: "humidity", Value: model.TextValue("NaN")},
		{Name: "location", Value: model.TextValue("warehouse-ä🌊")},
		{Name: "note", Value: model.TextValue("")},
		{Name: "temperature", Value: model.NumberValue(model.MustDecimal("-22.400000000000000000000000000000000001"))},
	}
}

func event() model.Event {
	return model.Event{
		Series: series(), Order: model.Order{At: at("2026-04-20T14:00:00.123Z"), ID: "7"},
		Attrs: attrs(), Hash: model.HashAttrs(attrs()), ArrivedAt: at("2026-04-20T14:00:01Z"),
		ExpiresAt: 1779285601,
	}
}

func latest() model.Latest {
	return model.Latest{
		Series: series(), Ordered: true, Order: event().Order, Hash: event().Hash, Attrs: attrs(),
		CreatedAt: at("2026-01-01T00:00:00Z"),
	}
}

func spec() *rollup.Spec {
	return &rollup.Spec{
		Measures:   []rollup.MeasureSpec{{Name: "humidity", Scale: 9}, {Name: "temperature", Scale: 9, Percentiles: true}},
		Dimensions: []rollup.DimensionSpec{{Name: "location"}},
		Distinct:   []string{"location"},
	}
}

func row() rollup.Row {
	fold := rollup.NewFold(spec())
	e := event()
	fold.AddEvent(&e)
	fold.Children = 0 // not stored
	return rollup.Row{
		Key:  rollup.Key{Series: series(), Tier: "hour", Start: at("2026-04-20T14:00:00Z")},
		Fold: *fold, Rev: rollup.Rev{1, 2, 3, 15: 0xff}, V: item.Version,
		ExpiresAt: 1784473200, WrittenAt: at("2026-04-20T14:00:02.500Z"),
	}
}

func quarantined() storage.Quarantined {
	return storage.Quarantined{
		ID: "01JS9Z6M3N8Q4T7V2X5Y8A1B3C", Source: "iot", Subject: series().Subject, Sender: storage.Sender{Subject: "sensor_01", Kind: "READING"}, Reason: "the observation has no time",
		Errors:  []model.FieldError{{Field: "timestamp", Code: "missing", Message: "is missing: send RFC 3339 <or> epoch"}},
		Payload: []byte("{\"deviceId\":\"sensor_01\"}\xff"), ArrivedAt: at("2026-04-20T14:00:01Z"), ExpiresAt: 1779285601,
	}
}
