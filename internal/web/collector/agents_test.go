package collector_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/web/collector"
)

// A browser begins with Mozilla or Opera. Probes and libraries that do not are not counted as people.
func TestDeviceOf_WhatDoesNotBeginAsBrowsersDoIsAProgram(t *testing.T) {
	for _, agent := range []string{
		"Something/1.0", "kube-probe/1.30", "ELB-HealthChecker/2.0", "Datadog/Synthetics", "GuzzleHttp/7",
		"Amazon-Route53-Health-Check-Service (ref 1)", "undici", "node", "Deno/2.0", "Dart/3.5 (dart:io)",
		"Microsoft Office/16.0", "OhDear.app",
		// Agents that no list has yet: OpenAI's, Google's and Amazon's name themselves so.
		"Mozilla/5.0 (compatible; NewAgent/1.0)",
		"Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; NewAgent-User/1.0; +https://a.example)",
		"Mozilla/5.0 (X11; Linux x86_64) Chrome/125.0.0.0 Safari/537.36; compatible; NewAgent/1.0",
		"Mozilla/5.0 (Windows NT 10.0) Chrome/125.0.0.0 Safari/537.36 (+https://agent.example/info)",
	} {
		if got := collector.ParseDevice(agent); got != collector.DeviceBot {
			t.Errorf("%s is a %s", agent, got)
		}
	}
	for agent, want := range map[string]string{
		"Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18": "desktop",
		"Opera/9.80 (J2ME/MIDP; Opera Mini/4.2; U; en) Presto/2.2.0":       "phone",
		"Mozilla/5.0 (PlayStation 4 11.02) AppleWebKit/605.1.15":           collector.DeviceOther,
		"Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1; Trident/4.0)":  "desktop",
		"Mozilla/5.0 (compatible; Konqueror/4.1; DragonFly) KHTML/4.1.4":   collector.DeviceOther,
		"Mozilla/5.0 (compatible; Konqueror/4.5; Linux) KHTML/4.5.4":       "desktop",
		"MyApp/1 CFNetwork/1568.100.1 Darwin/24.0.0":                       "phone",
	} {
		if got := collector.ParseDevice(agent); got != want {
			t.Errorf("%s is a %s, want %s", agent, got, want)
		}
	}
}

// Browsers also have the names of those that they are made from.
func TestHit_ABrowserHasItsOwnName(t *testing.T) {
	const ios = "(iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
	const webView = "(Linux; Android 14; SM-S911B Build/UP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) " +
		"Version/4.0 Chrome/126.0.6478.134 Mobile Safari/537.36"
	for agent, want := range map[string]string{
		"(Windows NT 10.0; WOW64; Trident/7.0; rv:11.0)":               "Internet Explorer Windows",
		"(X11; FreeBSD amd64; rv:140.0) Firefox/140.0":                 "Firefox FreeBSD",
		"(Linux; Android 9) Silk/120 like Chrome/120 Safari/537.36":    "Other Android",
		"(Linux; Android 10) Chrome/100.0 UCBrowser/13.8 Mobile":       "Other Android",
		"(Linux; Android 14; K) SamsungBrowser/26.0 Chrome/122 Mobile": "Samsung Browser Android",
		"(iPhone; CPU iPhone OS 18_1) GSA/344.0 Safari/604.1":          "Other iOS",
		"(PlayStation; PlayStation 5/8.20) Safari/605":                 "Other Other",

		// Apps show pages in a view of their system, which has the name of its browser or none.
		ios + "Mobile/15E148 [Pinterest/iOS]":                             "Pinterest App iOS",
		ios + "Mobile/15E148 Safari/604.1 [Pinterest/iOS]":                "Pinterest App iOS",
		webView + " [Pinterest/Android]":                                  "Pinterest App Android",
		ios + "Mobile/15E148 [FBAN/FBIOS;FBAV/470.0.0.1;FBBV/1]":          "Facebook App iOS",
		webView + " [FB_IAB/FB4A;FBAV/470.0.0.1;]":                        "Facebook App Android",
		ios + "Mobile/15E148 Instagram 300.0.0.18.110 (iPhone15,2)":       "Instagram App iOS",
		webView + " Instagram 295.0.0.32.119 Android (34/14)":             "Instagram App Android",
		ios + "Mobile/15E148 Safari Line/15.12.0/IAB":                     "LINE App iOS",
		webView + " Line/14.9.1/IAB":                                      "LINE App Android",
		ios + "Mobile/15E148 MicroMessenger/8.0.50(0x1800323d)":           "WeChat App iOS",
		webView + " MMWEBID/1 MicroMessenger/8.0.49.2600(0x2) WeChat/a":   "WeChat App Android",
		ios + "Mobile/15E148 musical_ly_34.5.0 BytedanceWebview/d8a21c6":  "TikTok App iOS",
		webView + " trill_340503 AppName/musical_ly":                      "TikTok App Android",
		ios + "Version/17.5 Mobile/15E148 Snapchat/12.40 (like Safari/8)": "Snapchat App iOS",
		webView + " Snapchat/12.90":                                       "Snapchat App Android",
		ios + "Mobile/15E148 Safari/604.1 [LinkedInApp]/9.78.4909":        "LinkedIn App iOS",
		webView + " [LinkedInApp]/2.312.70":                               "LinkedIn App Android",
		webView + " KAKAOTALK 25.8.0":                                     "Other Android",
		ios + "Mobile/15E148 KAKAOTALK 25.8.0":                            "Other iOS",
		ios + "Version/17.5 Mobile/15E148 Safari/604.1":                   "Safari iOS",
		"(Linux; Android 10; K) Chrome/126.0.0.0 Mobile Safari/537.36":    "Chrome Android",
	} {
		got := attrs(t, `{"url":"/"}`, collector.Request{Site: "s", UserAgent: "Mozilla/5.0 " + agent})
		if text := got["browser"] + " " + got["os"]; text != want {
			t.Errorf("%s: %q, want %q", agent, text, want)
		}
	}
}
