package collector

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

func TestExclusions_SayWhyAHitIsNotStored(t *testing.T) {
	t.Parallel()
	e, err := NewExclusions(config.Exclude{
		Addresses: []string{"203.0.113.0/24", "2001:db8::1", "::ffff:192.0.2.7", "::ffff:192.0.2.64/122"},
		Countries: []string{"XK"}, Paths: []string{"/admin/**", "/café"},
		Referrers: []string{"intranet.example", "www.spam.example"}, Spam: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	const page = "https://my-site.example/"
	usual := Hit{URL: page + "blog"}
	from := func(referrer string) Hit { return Hit{URL: usual.URL, Referrer: referrer} }
	for _, row := range []struct {
		name string
		hit  Hit
		from Request
		want Exclusion
	}{
		{"a usual view", usual, Request{Address: "203.0.112.7", Country: "DE"}, Included},
		{"an address of a network", usual, Request{Address: "203.0.113.7"}, ExcludedAddress},
		{"one address", usual, Request{Address: "2001:db8::1"}, ExcludedAddress},
		{"a neighbour of one address", usual, Request{Address: "2001:db8::2"}, Included},
		{"an address that is declared as one of IPv6", usual, Request{Address: "192.0.2.7"}, ExcludedAddress},
		{"a network that is declared as one of IPv6", usual, Request{Address: "192.0.2.65"}, ExcludedAddress},
		{"a neighbour of that network", usual, Request{Address: "192.0.2.128"}, Included},
		{"no address", usual, Request{Address: "unknown"}, Included},
		{"a country", usual, Request{Country: "XK"}, ExcludedCountry},
		{"a page", Hit{URL: page + "admin/users/7"}, Request{}, ExcludedPath},
		{"a page in another encoding", Hit{URL: page + "caf%c3%a9"}, Request{}, ExcludedPath},
		{"a page beside", Hit{URL: page + "administration"}, Request{}, Included},
		{"a referrer", from("https://wiki.intranet.example/x"), Request{}, ExcludedSource},
		{"a referrer without the declared www.", from("https://spam.example/"), Request{}, ExcludedSource},
		{"another referrer", from("https://myintranet.example/x"), Request{}, Included},
		{"referrer spam", from("https://12.semalt.com/"), Request{}, ExcludedSpam},
		{"one's own visit", Hit{URL: usual.URL, Own: true}, Request{}, ExcludedOwn},
	} {
		if got := e.of(row.hit, row.from); got != row.want {
			t.Errorf("%s is excluded by %q, want %q", row.name, got, row.want)
		}
	}
}

func TestExclusions_OfNothingDeclaredAreOwnVisitsAlone(t *testing.T) {
	t.Parallel()
	e, err := NewExclusions(config.Exclude{})
	if err != nil {
		t.Fatal(err)
	}
	spam := Hit{URL: "https://my-site.example/", Referrer: "https://semalt.com/"}
	if got := e.of(spam, Request{}); got != Included {
		t.Errorf("referrer spam is excluded by %q although it is kept", got)
	}
	if got := e.of(Hit{URL: "https://my-site.example/", Own: true}, Request{}); got != ExcludedOwn {
		t.Errorf("an own visit is excluded by %q", got)
	}
}

// A line in another form than referrers have would exclude none.
func TestExclusions_HaveEveryHostOfTheList(t *testing.T) {
	t.Parallel()
	e, err := NewExclusions(config.Exclude{Spam: true})
	if err != nil {
		t.Fatal(err)
	}
	hosts := 0
	for line := range strings.Lines(spamText) {
		host := strings.TrimSpace(line)
		if strings.HasPrefix(host, "#") {
			continue
		}
		hosts++
		for _, from := range []string{"https://" + host + "/", "http://WWW." + host} {
			if got := e.of(Hit{URL: "https://my-site.example/", Referrer: from}, Request{}); got != ExcludedSpam {
				t.Errorf("%s is excluded by %q, want %q", from, got, ExcludedSpam)
			}
		}
	}
	if hosts < 1_000 {
		t.Errorf("the list has %d hosts", hosts)
	}
}
