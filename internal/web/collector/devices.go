package collector

// The classes of user agents.
const (
	DeviceBot     = "bot"
	DeviceOther   = "other" // a browser that is not recognised
	devicePhone   = "phone"
	deviceTablet  = "tablet"
	deviceTV      = "tv"
	deviceDesktop = "desktop"
)

// deviceMark are substrings of user agents in small letters, with their class.
type deviceMark struct {
	class string
	marks []string
}

// deviceMarks are tried in order: the first match decides. A crawler that sends the user agent of a browser
// counts as that browser.
var deviceMarks = []deviceMark{
	// The names of these phones have "bot" in them.
	{class: devicePhone, marks: []string{
		"cubot", "m bot ", "m_bot", "; c bot ", "id bot ", "idbot5", "; xbot", "vr bot ",
	}},
	// Bots come early, because crawlers include the name of a browser.
	{class: DeviceBot, marks: []string{
		"bot", "crawl", "spider", "slurp", "scan", "fetch", "monitor", "preview", "archive", "validator",
		"lighthouse", "headless", "facebookexternalhit", "whatsapp", "embedly", "curl/", "wget/",
		"libwww", "python", "go-http-client", "java/", "okhttp", "axios", "node-fetch", "node.js",
		"ruby/", "perl/", "php/", "httpclient", "http-client", "apache-http", "feed", "rss", "census",
		"expanse,", "masscan", "zgrab", "nmap", "nikto", "l9explore", "l9tcpid", "phantomjs", "selenium",
		"puppeteer", "playwright", "cypress/", "synthetics",
		// Programs name themselves behind the text of a browser, or the address of their page.
		"; compatible;", "+http",
	}},
	{class: deviceTV, marks: []string{
		"smart-tv", "smarttv", "smart tv", "appletv", "googletv", "google tv", "android tv", "hbbtv",
		"netcast", "web0s", "crkey", "chromecast", "; aft", "roku", "bravia", "mibox",
	}},
	{class: deviceTablet, marks: []string{"ipad", "tablet", "kindle", "silk/", "playbook"}},
	{class: devicePhone, marks: []string{
		"iphone", "ipod", "mobile", "windows phone", "opera mini", "blackberry",
		"cfnetwork/", // apps of iOS that send events themselves
	}},
	// What says Android and not mobile.
	{class: deviceTablet, marks: []string{"android"}},
	{class: deviceDesktop, marks: []string{"windows nt", "macintosh", "x11", "linux"}},
	// What names itself in the place of a system, and is no browser of a rare one.
	{class: DeviceOther, marks: []string{"konqueror/", "applewebkit/", "amigaos"}},
	{class: DeviceBot, marks: []string{"mozilla/5.0 (compatible;"}},
}
