package formats

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Objects with the names that tables have are read as the rows of a table are. Objects in the form of the API
// stay as they are.
func TestObjects_AreReadByTheNamesOfTheirMembers(t *testing.T) {
	t.Parallel()
	const at = `"2026-11-01T10:00:00Z"`
	for _, tc := range []struct{ name, text, columns, set, want string }{
		{name: "pandas", text: `[{"device":"a","time":1793527200500,"value":1.50}]`,
			want: `{"deviceId":"a","timestamp":1793527200500,"value":1.50}`},
		{name: "lines", text: `{"Sensor ID":7,"ts":` + at + `,"x":null,"UUID":"u"}` + "\n",
			want: `{"deviceId":7,"timestamp":` + at + `,"x":null,"id":"u"}`},
		{name: "form of the API", text: `{"deviceId":"a","timestamp":` + at + `,"channel":"c","time":1}`,
			want: `{"deviceId":"a","timestamp":` + at + `,"channel":"c","time":1}`},
		{name: "half of it", text: `{"deviceId":"a","time":` + at + `,"channel":"c"}`,
			want: `{"deviceId":"a","timestamp":` + at + `,"stream":"c"}`},
		{name: "map", text: `{"dev":"a","when":` + at + `,"t":21.5}`, columns: "subject=dev,time=when",
			want: `{"deviceId":"a","timestamp":` + at + `,"t":21.5}`},
		{name: "map of a value", text: `{"dev":"a","when":` + at + `,"t":21.5,"u":2}`,
			columns: "subject=dev,time=when,value=t",
			want:    `{"deviceId":"a","timestamp":` + at + `,"value":21.5}`},
		{name: "set", text: `{"when":` + at + `,"t":21.5}`, columns: "time=when", set: "subject=a",
			want: `{"deviceId":"a","timestamp":` + at + `,"t":21.5}`},
		{name: "escapes, NaN", text: `{"device":"\u00e9","\u0074ime":` + at + `,"time":` + at + `,"x":NaN}`,
			want: `{"deviceId":"\u00e9","\u0074ime":` + at + `,"timestamp":` + at + `,"x":null}`},
		{name: "two", text: `{"device":"a","host":"b","time":1}`, want: `"device", "host" may be the subj`},
		{name: "typing error", text: `{"device":"a","time":1}`, columns: "subject=devise",
			want: `no object has a member "devise": the members are "device", "time"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var notice strings.Builder
			in := Input{Kind: readings(t), Lenient: true}
			in.Notice = func(text string) { notice.WriteString(text) }
			var err error
			if tc.columns != "" {
				if in.Columns, err = ParseColumns(tc.columns, in.Kind); err != nil {
					t.Fatal(err)
				}
			}
			if tc.set != "" {
				in.Shape.Constants, _ = ParseConstants(tc.set, in.Kind)
			}
			path := filepath.Join(t.TempDir(), "t.json")
			if err := os.WriteFile(path, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got := ""
			err = in.Each([]string{path}, func(o Observation) error {
				got = string(o.Body)
				return nil
			})
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tc.want) {
				t.Errorf("%s, want %s", got, tc.want)
			}
			isSaid := strings.Contains(notice.String(), "from the member")
			isRead := !strings.Contains(tc.text, got)
			if err == nil && isSaid != isRead {
				t.Errorf("the notice is %q", notice.String())
			}
		})
	}
}
