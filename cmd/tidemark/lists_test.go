package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Each list has the same formats; what is not a list says so.
func TestOutput_OfEveryList(t *testing.T) {
	b := newBench(t)
	b.expect(0, words("subject create devices/sensor_01 name=Boiler"), "")
	for _, list := range []string{"ls devices --status active", "subject list devices status=active",
		"subject versions devices/sensor_01", "failed list", "alerts", "ls"} {
		out := b.expect(0, words(list+" --output json"), "")
		if !json.Valid([]byte(out)) {
			t.Errorf("%s --output json: %s", list, out)
		}
		for line := range strings.Lines(b.expect(0, words(list+" --output ndjson"), "")) {
			if !json.Valid([]byte(line)) {
				t.Errorf("%s --output ndjson: %s", list, line)
			}
		}
		b.expect(0, words(list+" --output csv"), ",")
		b.expect(2, words(list+" --output xml"), "want table, json, ndjson or csv")
	}
	b.expect(0, words("ls devices --status active"), "DEVICE", "devices/sensor_01", "Boiler")
	b.expect(0, words("ls devices --status active --output csv"), "device,type,status,name,location,firmware\n",
		"devices/sensor_01,,active,Boiler,,")
	b.expect(0, words("subject list devices status=active --output json"), `"name":"Boiler"`)
	b.expect(2, words("rule list devices --output csv"), "not a list: want table or json")
}
