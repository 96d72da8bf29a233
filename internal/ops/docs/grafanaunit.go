package docs

// grafanaUnits has Grafana's own code for units, by which Grafana scales a number: 1200 W is shown as
// 1.20 kW. The codes are Grafana's (packages/grafana-data/src/valueFormats/categories.ts).
var grafanaUnits = map[string]string{
	"%": "percent", "°": "degree", "ppm": "ppm", "ppb": "conppb", "µg/m³": "conμgm3", "mg/m³": "conmgm3",
	"°C": "celsius", "°F": "fahrenheit", "K": "kelvin",
	"B": "decbytes", "kB": "deckbytes", "MB": "decmbytes", "GB": "decgbytes", "bit": "decbits",
	"KiB": "kbytes", "MiB": "mbytes", "GiB": "gbytes", "B/s": "Bps", "bit/s": "bps",
	"ns": "ns", "µs": "µs", "ms": "ms", "s": "s", "min": "m", "h": "h", "d": "d", "Hz": "hertz",
	"mV": "mvolt", "V": "volt", "kV": "kvolt", "mA": "mamp", "A": "amp", "Ω": "ohm",
	"mW": "mwatt", "W": "watt", "kW": "kwatt", "MW": "megwatt", "VA": "voltamp", "var": "voltampreact",
	"Wh": "watth", "kWh": "kwatth", "Ah": "amph", "mAh": "mamph", "J": "joule", "W/m²": "Wm2",
	"mm": "lengthmm", "m": "lengthm", "km": "lengthkm", "ft": "lengthft", "mi": "lengthmi", "m²": "areaM2",
	"g": "massg", "kg": "masskg", "t": "masst", "l": "litre", "L": "litre", "ml": "mlitre", "m³": "m3",
	"l/min": "flowlpm", "l/h": "litreh", "m/s": "velocityms", "km/h": "velocitykmh", "mph": "velocitymph",
	"rpm": "rotrpm", "lx": "lux", "dB": "dB", "dBm": "dBm",
	"Pa": "pressurepa", "hPa": "pressurehpa", "kPa": "pressurekpa", "mbar": "pressurembar",
	"bar": "pressurebar", "psi": "pressurepsi", "Bq": "radbq", "µSv/h": "radusvh",
}

// grafanaUnit returns the unit of a panel: Grafana's code, or the unit itself behind the number. Without a
// unit it is "".
func grafanaUnit(unit string) string {
	if code, known := grafanaUnits[unit]; known || unit == "" {
		return code
	}
	return "suffix:" + unit
}
