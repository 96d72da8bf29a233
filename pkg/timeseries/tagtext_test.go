package timeseries

import (
	"reflect"
	"testing"
)

// go vet refuses such tags in a type, so that they are tried as texts.
func TestCheckTagText_WhatReflectReadsNoTideFrom(t *testing.T) {
	t.Parallel()
	for tag, readable := range map[reflect.StructTag]bool{
		`tide:"measure"`:                  true,
		`json:"a,omitempty" tide:"field"`: true,
		`tide:"-"`:                        true,
		`json:"tide:level"`:               true,
		`json: "x"`:                       true, // of another package
		`a comment on the tide`:           true,
		`tide: "measure"`:                 false,
		`tide:measure`:                    false,
		`tide:'measure'`:                  false,
		`tide:"measure`:                   false,
		`TIDE:"measure"`:                  false,
		`json:"x",tide:"measure"`:         false,
		`json:"x";tide:"measure"`:         false,
		`json: "x" tide:"measure"`:        false, // reflect stops at the first tag
	} {
		if err := checkTagText(tag); (err == nil) != readable {
			t.Errorf("%s: %v; want readable %t", tag, err, readable)
		}
	}
}
