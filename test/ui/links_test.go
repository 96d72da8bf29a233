package ui

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/sharelink"
	"github.com/tidemark-db/tidemark/internal/sitekey"
)

// links returns the tokens of links as the environment of the scenarios.
func links() []string {
	link := func(subject string, after time.Duration) string {
		return sharelink.New([]byte(sitekey.LocalSecret), subject, time.Now().Add(after))
	}
	forged := sharelink.New([]byte("another secret"), "devices/"+device, time.Now().Add(time.Hour))
	return []string{"LINK=" + link("devices/"+device, time.Hour), "SITE_LINK=" + link("sites/"+site, time.Hour),
		"ENDED=" + link("devices/"+device, -time.Minute), "FORGED=" + forged, "MARKUP_LINK=" + link("devices/"+hostile, time.Hour)}
}
