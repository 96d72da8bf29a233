package timeseries_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// uid has the form of the usual types of UUIDs.
type uid [4]byte

func (u uid) MarshalText() ([]byte, error) {
	return []byte{'a' + u[0], 'a' + u[1], 'a' + u[2], 'a' + u[3]}, nil
}

func (u *uid) UnmarshalText(text []byte) error {
	if len(text) != len(u) {
		return errors.New("want four letters")
	}
	for i, letter := range text {
		u[i] = letter - 'a'
	}
	return nil
}

func TestProfiles_ATypeWithATextIsStoredAsIt(t *testing.T) {
	t.Parallel()
	type site struct {
		ID    string     `tide:"subject"`
		Addr  netip.Addr `tide:"field"`
		IP    net.IP     `tide:"field"`
		Total big.Int    `tide:"field"`
		Limit *big.Int   `tide:"field"`
		Key   uid        `tide:"field"`
		Tags  []string   `tide:"field"`
	}
	profiles, err := timeseries.OpenProfiles[site](newTable(),
		catalog.SubjectType{Name: "SITE", Profile: &catalog.Profile{}}, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	want := site{ID: "one", Addr: netip.MustParseAddr("10.0.0.1"), IP: net.IPv4(10, 0, 0, 2),
		Limit: new(big.Int).Lsh(big.NewInt(1), 90), Key: uid{1, 2, 3, 4}, Tags: []string{"a"}}
	want.Total.SetString("123456789012345678901234567890", 10)
	if out, err := profiles.Put(t.Context(), want, 0); err != nil || out.Outcome != lifecycle.Created {
		t.Fatalf("put: %s, %v", out.Outcome, err)
	}
	found, err := profiles.Get(t.Context(), "one")
	if err != nil {
		t.Fatal(err)
	}
	got := found.Value
	if got.Addr != want.Addr || !got.IP.Equal(want.IP) || got.Total.Cmp(&want.Total) != 0 ||
		got.Limit.Cmp(want.Limit) != 0 || got.Key != want.Key || len(got.Tags) != 1 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestOpenProfiles_RefusesTypesWhoseStoredValueCannotBeRead(t *testing.T) {
	t.Parallel()
	type stamp time.Time
	type raw json.RawMessage
	subject := catalog.SubjectType{Name: "SITE", Profile: &catalog.Profile{}}
	_, named := timeseries.OpenProfiles[struct {
		ID string `tide:"subject"`
		At stamp  `tide:"field"`
	}](newTable(), subject, nil)
	_, bytes := timeseries.OpenProfiles[struct {
		ID  string `tide:"subject"`
		Raw raw    `tide:"field"`
	}](newTable(), subject, nil)
	_, channel := timeseries.OpenProfiles[struct {
		ID string                `tide:"subject"`
		C  struct{ C chan bool } `tide:"field"`
	}](newTable(), subject, nil)
	for name, err := range map[string]error{"a named time": named, "bytes": bytes, "a channel": channel} {
		var mistake *timeseries.Error
		if !errors.As(err, &mistake) || mistake.Code != timeseries.TypeUnfit {
			t.Errorf("%s: %v, want %s", name, err, timeseries.TypeUnfit)
		}
	}
}

func TestEvents_AFieldWithATextIsStoredAsIt(t *testing.T) {
	t.Parallel()
	type visit struct {
		Device   string     `tide:"subject"`
		At       time.Time  `tide:"time"`
		Location netip.Addr `tide:"field"`
	}
	visits, err := timeseries.Open[visit](newTable(), iot.Readings, &timeseries.Options{Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	want := visit{Device: "sensor_01", At: today, Location: netip.MustParseAddr("10.0.0.1")}
	if _, err := visits.Append(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if latest, err := visits.Latest(t.Context(), timeseries.Key{Subject: "sensor_01"}); err != nil ||
		*latest != want {
		t.Errorf("latest %+v, %v; want %+v", latest, err, want)
	}
}
