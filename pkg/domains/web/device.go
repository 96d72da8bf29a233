package web

import "strings"

// The classes of user agents.
const (
	DeviceBot     = "bot"
	DevicePhone   = "phone"
	DeviceTablet  = "tablet"
	DeviceTV      = "tv"
	DeviceDesktop = "desktop"
	DeviceOther   = "other" // says nothing that is known
)

// deviceMarks are what tells a class by a part of its user agent, in small letters.
// The first mark that is found decides, so what names itself a program comes first:
// crawlers quote the browsers they pass for. User agents are claims: this parts the
// honest ones, and a crawler that hides counts as who it says it is.
var deviceMarks = []struct {
	class string
	marks []string
}{
	{DevicePhone, []string{"cubot"}}, // a maker of phones
	{DeviceBot, []string{
		"bot", "crawl", "spider", "slurp", "scan", "fetch", "monitor", "preview", "archive", "validator", "lighthouse", "headless",
		"facebookexternalhit", "whatsapp", "embedly", "curl/", "wget/", "libwww", "python", "go-http-client", "java/", "okhttp",
		"axios", "node-fetch", "node.js", "ruby", "perl", "php/", "httpclient", "http-client", "apache-http", "feed", "rss", "census", "expanse",
		"masscan", "zgrab", "nmap", "nikto", "l9explore", "l9tcpid", "phantomjs", "selenium", "puppeteer", "playwright",
	}},
	{DeviceTV, []string{"smart-tv", "smarttv", "appletv", "googletv", "hbbtv", "netcast", "web0s", "crkey", "aftt", "roku", "bravia"}},
	{DeviceTablet, []string{"ipad", "tablet", "kindle", "silk/", "playbook"}},
	{DevicePhone, []string{"iphone", "ipod", "mobile", "windows phone", "opera mini", "blackberry"}},
	{DeviceTablet, []string{"android"}}, // one that does not say mobile
	{DeviceDesktop, []string{"windows nt", "macintosh", "x11", "linux"}},
}

// maxUserAgent is how much of a user agent is looked at.
const maxUserAgent = 512

// DeviceOf is the class of a user agent. None at all is a program's: browsers say who
// they are.
func DeviceOf(userAgent string) string {
	if strings.TrimSpace(userAgent) == "" {
		return DeviceBot
	}
	said := strings.ToLower(userAgent[:min(len(userAgent), maxUserAgent)])
	for _, d := range deviceMarks {
		for _, mark := range d.marks {
			if strings.Contains(said, mark) {
				return d.class
			}
		}
	}
	return DeviceOther
}
