package plausible

import (
	"fmt"
	"strings"
	"testing"
)

func TestDecode_LimitsWhatAQueryNames(t *testing.T) {
	t.Parallel()
	names := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(`"m%d"`, i)
		}
		return strings.Join(all, ",")
	}
	for metrics, want := range map[string]bool{
		names(maxNames): true, names(maxNames + 1): false,
		`"visits","visits"`: false, strings.Repeat(`"visits",`, 10_000) + `"visits"`: false,
	} {
		_, err := Decode([]byte(`{"site_id":"s","date_range":"7d","metrics":[` + metrics + `]}`))
		if (err == nil) != want {
			t.Errorf("metrics %.60s: %v, want them read: %v", metrics, err, want)
		}
	}
}

func TestDecode_AnOrderIsAPair(t *testing.T) {
	t.Parallel()
	for order, want := range map[string]bool{
		`["visits","desc"]`: true, `["visits","asc"],["visits","desc"]`: true, ``: true,
		`["visits"]`: false, `["visits","desc","x"]`: false, `"visits"`: false, `["visits",1]`: false,
		`null`: false,
	} {
		query := `{"site_id":"s","date_range":"7d","metrics":["visits"],"order_by":[` + order + `]}`
		if _, err := Decode([]byte(query)); (err == nil) != want {
			t.Errorf("order_by [%s]: %v, want it read: %v", order, err, want)
		}
	}
}
