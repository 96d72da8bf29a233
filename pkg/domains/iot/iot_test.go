package iot_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestCatalog_HoldsReadingsOfDevices(t *testing.T) {
	c, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	k, ok := c.ByPath("readings")
	if !ok || k.Name != "READING" {
		t.Fatalf(`ByPath("readings") = %v, %v`, k, ok)
	}
	if s, ok := c.SubjectByPath("devices"); !ok || s.Name != iot.Device.Name || s.Field != iot.Device.Field ||
		k.Subject != s {
		t.Errorf("the subject type is %v, and %v in readings", s, k.Subject)
	}
	if k.Late != catalog.KeepLate || !k.HasLatest() || k.Retention.Raw != tier.Standard().Raw {
		t.Errorf("got %+v: want late: keep, latest items, the standard retention", k)
	}
	for _, m := range []string{"temperature", "humidity", "battery", "value"} {
		if !k.Declared(m) {
			t.Errorf("%s is not a declared measure", m)
		}
	}
	for _, m := range k.Measures {
		if m.Scale != 9 || !m.Percentiles {
			t.Errorf("%s has scale %d and percentiles %v, want 9 and true", m.Name, m.Scale, m.Percentiles)
		}
	}
}

func TestKinds_DeclareNoReservedName(t *testing.T) {
	for _, k := range iot.Kinds() {
		for _, f := range k.Fields() {
			if keys.Reserved(f.Name) {
				t.Errorf("%s: %s is an attribute of Tidemark's own", k.Name, f.Path)
			}
		}
	}
}
