package referrer_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/referrer"
)

func TestOf_NamesSourceAndChannel(t *testing.T) {
	for _, c := range []struct {
		host            string
		campaign        referrer.Campaign
		source, channel string
	}{
		{"", referrer.Campaign{}, "", referrer.Direct},
		{"www.google.de", referrer.Campaign{}, "Google", "Organic Search"},
		{"google.co.uk", referrer.Campaign{}, "Google", "Organic Search"},
		{"images.google.com", referrer.Campaign{}, "Google Images", "Organic Search"},
		{"com.google.android.googlequicksearchbox", referrer.Campaign{}, "Google", "Organic Search"},
		{"mail.google.com", referrer.Campaign{}, "Gmail", "Email"},
		{"docs.google.com", referrer.Campaign{}, "docs.google.com", referrer.Referral},
		{"gemini.google.com", referrer.Campaign{}, "Gemini", "AI Assistant"},
		{"l.facebook.com", referrer.Campaign{}, "Facebook", "Organic Social"},
		{"news.ycombinator.com", referrer.Campaign{}, "Hacker News", "Organic Social"},
		{"chatgpt.com", referrer.Campaign{}, "ChatGPT", "AI Assistant"},
		{"www.example.org", referrer.Campaign{}, "example.org", referrer.Referral},
		{"notgoogle.com", referrer.Campaign{}, "notgoogle.com", referrer.Referral},
		{"com", referrer.Campaign{}, "com", referrer.Referral},
		{"", referrer.Campaign{Source: "google", Medium: "CPC"}, "Google", "Paid Search"},
		{"google.com", referrer.Campaign{Source: "facebook", Medium: "paid"}, "Facebook", "Paid Social"},
		{"", referrer.Campaign{Source: "t.co"}, "Twitter", "Organic Social"},
		{"", referrer.Campaign{Source: "autumn", Medium: "newsletter"}, "autumn", "Email"},
		{"", referrer.Campaign{Source: "partner", Medium: "affiliate"}, "partner", "Affiliates"},
		{"", referrer.Campaign{Source: "poster", Medium: "qr"}, "poster", referrer.Other},
		{"", referrer.Campaign{Medium: "banner"}, "", "Paid Other"},
		{"example.org", referrer.Campaign{Medium: "qr"}, "example.org", referrer.Other},
	} {
		want := referrer.Origin{Source: c.source, Channel: c.channel}
		if got := referrer.Of(c.host, c.campaign); got != want {
			t.Errorf("%s %+v: %+v, want %+v", c.host, c.campaign, got, want)
		}
	}
}
