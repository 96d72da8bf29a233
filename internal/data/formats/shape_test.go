package formats

import (
	"strings"
	"testing"
	"time"
)

// Each text has the form of a public program's table, with what its user says of it.
func TestCSV_ATableIsReadWithWhatItsUserSays(t *testing.T) {
	kind := readings(t)
	subject := map[string]string{"deviceId": "s1"}
	for name, tc := range map[string]struct {
		text, columns string
		shape         Shape
		want          string
	}{
		"one station, no column for it": {
			text: "created_at,field1\n2026-11-01 10:00:00 UTC,21.5\n", columns: "time=created_at,value=field1", shape: Shape{Constants: subject},
			want: `{"timestamp":"2026-11-01T10:00:00.000Z","value":21.5,"deviceId":"s1"}`,
		},
		"one station, guessed": {
			text: "time,value\n2026-11-01T10:00:00Z,21.5\n", shape: Shape{Constants: subject},
			want: `{"deviceId":"s1","timestamp":"2026-11-01T10:00:00Z","value":21.5}`,
		},
		"a day and a time of day": {
			text: "Date,Time,device,value\n2026-11-01,10:00:10,u14,2\n",
			want: `{"deviceId":"u14","timestamp":"2026-11-01T10:00:10.000Z","value":2}`,
		},
		"two columns by their names": {
			text: "D,T,device,value\n2026-11-01,10:00:10,u14,2\n", columns: "subject=device,time=D+T,value=value",
			want: `{"deviceId":"u14","timestamp":"2026-11-01T10:00:10.000Z","value":2}`,
		},
		"a comma in the name of a column": {
			text: "Date,\"Temp, °C\"\n2026-11-01 10:00,21.5\n", columns: "time=Date,value=Temp, °C", shape: Shape{Constants: subject},
			want: `{"timestamp":"2026-11-01T10:00:00.000Z","value":21.5,"deviceId":"s1"}`,
		},
		"comments above the header": {
			text: "# Station: 123\n# Units: degC\ntime,device,value\n2026-11-01T10:00:00Z,hc1,21\n", shape: Shape{Skip: 2},
			want: `{"deviceId":"hc1","timestamp":"2026-11-01T10:00:00Z","value":21}`,
		},
		"TOA5 of Campbell": {
			text:  "\"TOA5\",\"CR1000X\"\n\"TIMESTAMP\",\"value\"\n\"TS\",\"Volts\"\n\"\",\"Min\"\n\"2026-11-01 00:01:00\",12.51\n",
			shape: Shape{Skip: 1, SkipBelow: 2, Constants: subject},
			want:  `{"deviceId":"s1","timestamp":"2026-11-01T00:01:00.000Z","value":12.51}`,
		},
		"no header": {
			text: "a,2026-11-01T10:00:00Z,1\n", shape: Shape{Header: []string{"device", "time", "value"}},
			want: `{"deviceId":"a","timestamp":"2026-11-01T10:00:00Z","value":1}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Stdin: strings.NewReader(tc.text), Kind: kind, Shape: tc.shape}
			in.Clock.Zone = time.UTC
			if tc.columns != "" {
				var err error
				if in.Columns, err = ParseColumns(tc.columns, kind); err != nil {
					t.Fatal(err)
				}
			}
			got := readAll(t, in, StdinName)
			if len(got) != 1 || string(got[0].Body) != tc.want {
				t.Errorf("%d rows, first %s; want %s", len(got), got[0].Body, tc.want)
			}
		})
	}
}
