package collector_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/web/collector"
)

func TestOf_NamesSourceAndChannel(t *testing.T) {
	for _, c := range []struct {
		host            string
		campaign        collector.Campaign
		source, channel string
	}{
		{"", collector.Campaign{}, "", collector.Direct},
		{"www.google.de", collector.Campaign{}, "Google", "Organic Search"},
		{"google.co.uk", collector.Campaign{}, "Google", "Organic Search"},
		{"images.google.com", collector.Campaign{}, "Google Images", "Organic Search"},
		{"com.google.android.googlequicksearchbox", collector.Campaign{}, "Google", "Organic Search"},
		{"mail.google.com", collector.Campaign{}, "Gmail", "Email"},
		{"docs.google.com", collector.Campaign{}, "docs.google.com", collector.Referral},
		{"gemini.google.com", collector.Campaign{}, "Gemini", "AI Assistant"},
		{"l.facebook.com", collector.Campaign{}, "Facebook", "Organic Social"},
		{"news.ycombinator.com", collector.Campaign{}, "Hacker News", "Organic Social"},
		{"chatgpt.com", collector.Campaign{}, "ChatGPT", "AI Assistant"},
		{"www.example.org", collector.Campaign{}, "example.org", collector.Referral},
		{"notgoogle.com", collector.Campaign{}, "notgoogle.com", collector.Referral},
		{"com", collector.Campaign{}, "com", collector.Referral},
		{"", collector.Campaign{Source: "google", Medium: "CPC"}, "Google", "Paid Search"},
		{"google.com", collector.Campaign{Source: "facebook", Medium: "paid"}, "Facebook", "Paid Social"},
		{"", collector.Campaign{Source: "t.co"}, "Twitter", "Organic Social"},
		{"", collector.Campaign{Source: "autumn", Medium: "newsletter"}, "autumn", "Email"},
		{"", collector.Campaign{Source: "partner", Medium: "affiliate"}, "partner", "Affiliates"},
		{"", collector.Campaign{Source: "poster", Medium: "qr"}, "poster", collector.Other},
		{"", collector.Campaign{Medium: "banner"}, "", "Display"},
		{"", collector.Campaign{Name: "autumn"}, "", collector.Direct},
		{"google.com", collector.Campaign{Click: "gclid"}, "Google", "Paid Search"},
		{"bing.com", collector.Campaign{Click: "gclid"}, "Bing", "Organic Search"},
		{"bing.com", collector.Campaign{Click: "msclkid"}, "Bing", "Paid Search"},
		{"", collector.Campaign{Source: "fb"}, "Facebook", "Organic Social"},
		{"", collector.Campaign{Source: "Facebook-Ads"}, "Facebook", "Paid Social"},
		{"", collector.Campaign{Source: "adwords"}, "Google", "Paid Search"},
		{"", collector.Campaign{Source: "linkedin", Medium: "paid_social"}, "LinkedIn", "Paid Social"},
		{"", collector.Campaign{Source: "partner", Medium: "CPA"}, "partner", "Paid Other"},
		{"", collector.Campaign{Source: "x", Medium: "cpc", Name: "Summer Shopping"}, "x", "Paid Shopping"},
		{"", collector.Campaign{Source: "x", Medium: "talk", Name: "workshop"}, "x", collector.Other},
		{"", collector.Campaign{Source: "partner", Medium: "video-ad"}, "partner", "Organic Video"},
		{"", collector.Campaign{Source: "sms", Medium: "text"}, "sms", "SMS"},
		{"", collector.Campaign{Source: "app", Medium: "web_push"}, "app", "Mobile Push Notifications"},
		{"", collector.Campaign{Source: "show", Medium: "audio"}, "show", "Audio"},
		{"", collector.Campaign{Source: "weekly-newsletter"}, "weekly-newsletter", "Email"},
		{"", collector.Campaign{Source: "google", Name: "CROSS-network 1"}, "Google", "Cross-network"},
		{"com.reddit.frontpage", collector.Campaign{}, "Reddit", "Organic Social"},
		{"hotel.fb.example", collector.Campaign{}, "hotel.fb.example", collector.Referral},
		{"example.org", collector.Campaign{Medium: "qr"}, "example.org", collector.Other},
	} {
		want := collector.Origin{Source: c.source, Channel: c.channel}
		if got := collector.FindOrigin(c.host, c.campaign); got != want {
			t.Errorf("%s %+v: %+v, want %+v", c.host, c.campaign, got, want)
		}
	}
}

// The part of the list that is not ours is pinned: a list of newer commits names them in its head and has
// another digest here. Its licence needs no notice, but is named, here and with the dependencies.
func TestList_IsTheOneOfTheNamedCommits(t *testing.T) {
	text, err := os.ReadFile("hosts.txt")
	if err != nil {
		t.Fatal(err)
	}
	list, additions, found := strings.Cut(string(text), "\n# additions\n")
	for _, named := range []string{"searchengine-and-social-list of the Matomo project (The Unlicense)",
		"02e45a1", "03dcb35", "02a8125"} {
		if !strings.Contains(list, named) {
			t.Errorf("the head of the list does not name %s", named)
		}
	}
	digest := sha256.Sum256([]byte(list))
	const want = "613965a6616cb677b2238883660fe197cd8ab2599e39d8869228c60fcfa13f5a"
	if got := hex.EncodeToString(digest[:]); got != want || !found {
		t.Errorf("the digest of the list is %s, want %s", got, want)
	}
	dependencies, err := os.ReadFile("../../../docs/decisions/dependencies.md")
	if err != nil || !strings.Contains(string(dependencies),
		"searchengine-and-social-list (data of the Matomo project, The Unlicense, no code)") {
		t.Errorf("the dependencies do not name the list and its licence: %v", err)
	}
	for line := range strings.Lines(list + "\n" + additions) {
		if columns := strings.Count(line, "|"); !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" &&
			columns != 2 {
			t.Errorf("%q has %d columns, want 3", line, columns+1)
		}
	}
}
