package collector

import (
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// currencies are the codes of ISO 4217 in which people pay. Each sum of a currency is a measure of its own,
// and a row has room for all of them (web.CustomEvents). Anybody can send events of a site, so invented codes
// would take the places of a site's own currencies.
var currencies = strings.Fields(`
	AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD
	BTN BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN
	ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD
	IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD
	MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD
	OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP
	SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD
	UYU UZS VED VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
`)

var threeCapitals = regexp.MustCompile(`^[A-Z]{3}$`)

// dropUnknownCurrency drops an amount whose currency is not in ISO 4217, unless the kind declares its
// measure. The event is kept.
func (h *Hit) dropUnknownCurrency(events *catalog.Kind) {
	if h.revenue == nil || slices.Contains(currencies, h.revenue.currency) {
		return
	}
	if measure := webfield.RevenuePrefix + h.revenue.currency; !events.Declared(measure) {
		h.drop("revenue.currency", "is not a currency of ISO 4217: declare the measure "+measure+" of "+events.Name)
		h.revenue = nil
	}
}
