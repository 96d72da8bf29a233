package collector

import (
	"slices"
	"strings"

	"github.com/mileusna/useragent"
)

// otherBrowser is stored for what is not in a list. The texts of a user agent are never
// stored: they may identify a visitor.
const otherBrowser = "Other"

// Apps with a browser of their own, beside those that the library names.
const (
	pinterestApp = "Pinterest App"
	lineApp      = "LINE App"
	weChatApp    = "WeChat App"
	snapchatApp  = "Snapchat App"
	linkedInApp  = "LinkedIn App"
)

var (
	browsers = []string{
		useragent.Chrome, useragent.Safari, useragent.Firefox, useragent.Edge, useragent.Opera, useragent.OperaMini,
		useragent.OperaTouch, useragent.SamsungBrowser, useragent.Vivaldi, useragent.InternetExplorer,
		useragent.FacebookApp, useragent.InstagramApp, useragent.TiktokApp, pinterestApp, lineApp, weChatApp,
		snapchatApp, linkedInApp, "Miui Browser", "Huawei Browser", "Android browser",
	}
	systems = []string{
		useragent.Windows, useragent.MacOS, useragent.IOS, useragent.Android, useragent.Linux, useragent.ChromeOS,
		useragent.Harmony, useragent.FreeBSD, useragent.WindowsPhone,
	}
)

// nameMark is a substring of user agents in small letters, with what it names.
type nameMark struct{ mark, name string }

// ownNames are of browsers that also carry the name of the browser that they are made from: Chrome, Safari or
// Firefox. The first match decides.
var ownNames = []nameMark{
	{mark: "trident/7.", name: useragent.InternetExplorer},
	{mark: "[fban/", name: useragent.FacebookApp},
	{mark: "[fb_iab/", name: useragent.FacebookApp},
	{mark: " instagram ", name: useragent.InstagramApp},
	{mark: "musical_ly", name: useragent.TiktokApp},
	{mark: "[pinterest/", name: pinterestApp},
	{mark: " line/", name: lineApp},
	{mark: " micromessenger/", name: weChatApp},
	{mark: " snapchat/", name: snapchatApp},
	{mark: "[linkedinapp]", name: linkedInApp},
	{mark: "samsungbrowser/", name: useragent.SamsungBrowser},
	{mark: "huaweibrowser/", name: "Huawei Browser"},
	{mark: "miuibrowser/", name: "Miui Browser"},
	{mark: "browser/", name: otherBrowser}, // UC, Oculus, Vivo, HeyTap, QQ …
	{mark: "silk/", name: otherBrowser},
	{mark: " gsa/", name: otherBrowser},
	{mark: "duckduckgo/", name: otherBrowser},
	{mark: " ddg/", name: otherBrowser},
	{mark: "playstation", name: otherBrowser},
	{mark: "waterfox/", name: otherBrowser},
	{mark: "palemoon/", name: otherBrowser},
	{mark: "seamonkey/", name: otherBrowser},
	{mark: "; wv)", name: otherBrowser}, // the view of any other app of Android; iOS has no mark of it
}

// ownSystems are systems behind a name that others have, too: X11.
var ownSystems = []nameMark{{mark: "freebsd", name: useragent.FreeBSD}}

// parseBrowser returns the names of the browser and the operating system of a user agent.
func parseBrowser(userAgent string) (browser, system string) {
	userAgent = userAgent[:min(len(userAgent), maxUserAgent)]
	agent, text := useragent.Parse(userAgent), strings.ToLower(userAgent)
	return listed(browsers, ownName(ownNames, text, agent.Name)),
		listed(systems, ownName(ownSystems, text, agent.OS))
}

// ownName returns the name of the first mark in text; name if it has none.
func ownName(marks []nameMark, text, name string) string {
	for _, m := range marks {
		if strings.Contains(text, m.mark) {
			return m.name
		}
	}
	return name
}

func listed(names []string, name string) string {
	if slices.Contains(names, name) {
		return name
	}
	return otherBrowser
}

// screens are classes of the width of a window, in CSS pixels.
var screens = []struct {
	below int64
	class string
}{{576, "mobile"}, {992, "tablet"}, {1440, "laptop"}}

// classifyScreen returns the class of a width; "" if it is unknown.
func classifyScreen(width int64) string {
	for _, s := range screens {
		if width > 0 && width < s.below {
			return s.class
		}
	}
	if width > 0 {
		return "desktop"
	}
	return ""
}

// parseLanguage returns the preferred language of an Accept-Language header without its region:
// en, de. It is "" if the header has none.
func parseLanguage(header string) string {
	first, _, _ := strings.Cut(header, ",")
	first, _, _ = strings.Cut(first, ";")
	first, _, _ = strings.Cut(strings.ToLower(strings.TrimSpace(first)), "-")
	return languageCode.FindString(first)
}
