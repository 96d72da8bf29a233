package collector

import (
	"slices"
	"strings"

	"github.com/mileusna/useragent"
)

// otherBrowser is stored for what is not in a list. The texts of a user agent are never
// stored: they may identify a visitor.
const otherBrowser = "Other"

var (
	browsers = []string{
		useragent.Chrome, useragent.Safari, useragent.Firefox, useragent.Edge, useragent.Opera, useragent.OperaMini,
		useragent.OperaTouch, useragent.SamsungBrowser, useragent.Vivaldi, useragent.InternetExplorer,
		useragent.FacebookApp, useragent.InstagramApp, useragent.TiktokApp, "Miui Browser", "Huawei Browser",
		"Android browser",
	}
	systems = []string{
		useragent.Windows, useragent.MacOS, useragent.IOS, useragent.Android, useragent.Linux, useragent.ChromeOS,
		useragent.Harmony, useragent.FreeBSD, useragent.WindowsPhone,
	}
)

// parseBrowser returns the names of the browser and the operating system of a user agent.
func parseBrowser(userAgent string) (browser, system string) {
	agent := useragent.Parse(userAgent[:min(len(userAgent), maxUserAgent)])
	return listed(browsers, agent.Name), listed(systems, agent.OS)
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
