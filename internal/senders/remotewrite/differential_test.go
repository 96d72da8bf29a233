package remotewrite_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/prompb"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/senders/remotewrite"
)

// Series are the same samples in both versions of the protocol, also those that are refused.
func TestDecode_BothVersionsOfSeriesAreTheSameSamples(t *testing.T) {
	t.Parallel()
	labels := rapid.SampledFrom([]string{"__name__", "up", "job", "instance", "", "é", "\xff", "le", "+Inf"})
	values := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1),
		math.Inf(-1), math.Float64frombits(value.StaleNaN), 1e308, 5e-324}))
	rapid.Check(t, func(r *rapid.T) {
		var all []series
		for range rapid.IntRange(1, 4).Draw(r, "series") {
			s := series{histograms: rapid.IntRange(0, 2).Draw(r, "histograms")}
			for range rapid.IntRange(0, 4).Draw(r, "labels") {
				s.labels = append(s.labels, labels.Draw(r, "name"), labels.Draw(r, "value"))
			}
			for range rapid.IntRange(0, 3).Draw(r, "samples") {
				s.samples = append(s.samples, prompb.Sample{Value: values.Draw(r, "value"),
					Timestamp: rapid.Int64().Draw(r, "time")})
			}
			all = append(all, s)
		}
		options := remotewrite.Options{Points: 20, Parts: 3}
		first, err := remotewrite.Decode(body(t, false, all...), options)
		if err != nil {
			r.Fatal(err)
		}
		options.Version2 = true
		second, err := remotewrite.Decode(body(t, true, all...), options)
		if diff := cmp.Diff(first, second); err != nil || diff != "" {
			r.Fatalf("%v (-version 1 +version 2):\n%s", err, diff)
		}
	})
}
