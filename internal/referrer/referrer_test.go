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
		{"www.google.de", referrer.Campaign{}, "Google", referrer.OrganicSearch},
		{"google.co.uk", referrer.Campaign{}, "Google", referrer.OrganicSearch},
		{"images.google.com", referrer.Campaign{}, "Google Images", referrer.OrganicSearch},
		{"com.google.android.googlequicksearchbox", referrer.Campaign{}, "Google", referrer.OrganicSearch},
		{"mail.google.com", referrer.Campaign{}, "Gmail", referrer.Email},
		{"docs.google.com", referrer.Campaign{}, "docs.google.com", referrer.Referral},
		{"gemini.google.com", referrer.Campaign{}, "Gemini", referrer.Assistant},
		{"l.facebook.com", referrer.Campaign{}, "Facebook", referrer.OrganicSocial},
		{"news.ycombinator.com", referrer.Campaign{}, "Hacker News", referrer.OrganicSocial},
		{"chatgpt.com", referrer.Campaign{}, "ChatGPT", referrer.Assistant},
		{"www.example.org", referrer.Campaign{}, "example.org", referrer.Referral},
		{"notgoogle.com", referrer.Campaign{}, "notgoogle.com", referrer.Referral},
		{"com", referrer.Campaign{}, "com", referrer.Referral},
		{"", referrer.Campaign{Source: "google", Medium: "CPC"}, "Google", referrer.PaidSearch},
		{"google.com", referrer.Campaign{Source: "facebook", Medium: "paid"}, "Facebook", referrer.PaidSocial},
		{"", referrer.Campaign{Source: "t.co"}, "Twitter", referrer.OrganicSocial},
		{"", referrer.Campaign{Source: "autumn", Medium: "newsletter"}, "autumn", referrer.Email},
		{"", referrer.Campaign{Source: "partner", Medium: "affiliate"}, "partner", referrer.Affiliates},
		{"", referrer.Campaign{Source: "poster", Medium: "qr"}, "poster", referrer.Other},
		{"", referrer.Campaign{Medium: "banner"}, "", referrer.PaidOther},
		{"example.org", referrer.Campaign{Medium: "qr"}, "example.org", referrer.Other},
	} {
		want := referrer.Origin{Source: c.source, Channel: c.channel}
		if got := referrer.Of(c.host, c.campaign); got != want {
			t.Errorf("%s %+v: %+v, want %+v", c.host, c.campaign, got, want)
		}
	}
}
