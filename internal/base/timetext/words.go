package timetext

import (
	"regexp"
	"strings"
	"time"
)

// monthNames are the names of months, whole and short, in the languages in which spreadsheets and loggers
// write them: English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Swedish, Danish,
// Norwegian, Czech, Turkish, Hungarian and Russian. They are in lower case and without accents, and no name
// is of two months.
var monthNames = map[time.Month]string{
	time.January: "january jan januar janner jaenner janvier janv enero ene janeiro gennaio gen januari " +
		"styczen stycznia sty leden ledna ocak oca января янв январь",
	time.February: "february feb februar fevrier fevr fev febrero fevereiro febbraio februari luty " +
		"lutego lut unor unora subat sub февраля фев февраль",
	time.March: "march mar marz maerz mrz mars marzo marco maart mrt marzec marca marts brezen brezna " +
		"mart marcius marc марта мар март",
	time.April: "april apr avril avr abril abr aprile kwiecien kwietnia kwi duben dubna nisan nis " +
		"aprilis апреля апр апрель",
	time.May: "may mai mayo maio maggio mag mei maj maja kveten kvetna mayis majus мая май",
	time.June: "june jun juni juin junio junho giugno giu czerwiec czerwca cze cerven cervna haziran " +
		"haz junius июня июн июнь",
	time.July: "july jul juli juillet juil julio julho luglio lug lipiec lipca lip cervenec cervence " +
		"temmuz tem julius июля июл июль",
	time.August: "august aug aout agosto ago augustus augusti sierpien sierpnia sie srpen srpna " +
		"agustos agu augusztus августа авг август",
	time.September: "september sep sept septembre septiembre setiembre setembro settembre set wrzesien " +
		"wrzesnia wrz zari eylul eyl szeptember szept сентября сен сент сентябрь",
	time.October: "october oct oktober okt octobre octubre outubro out ottobre ott pazdziernik " +
		"pazdziernika paz rijen rijna ekim eki октября окт октябрь",
	time.November: "november nov novembre noviembre novembro listopad listopada lis listopadu kasim kas " +
		"ноября ноя нояб ноябрь",
	time.December: "december dec dezember dez decembre diciembre dic dezembro dicembre grudzien grudnia " +
		"gru desember des prosinec prosince aralik ara декабря дек декабрь",
}

// dayNames are the names of days in the same languages.
var dayNames = map[time.Weekday]string{
	time.Monday: "monday mon montag mo lundi lun lunes segunda seg lunedi maandag ma poniedzialek pon " +
		"mandag man",
	time.Tuesday: "tuesday tue tues dienstag di mardi mar martes terca ter martedi dinsdag " +
		"wtorek wt tisdag tirsdag",
	time.Wednesday: "wednesday wed mittwoch mi mercredi mer miercoles mie quarta qua " +
		"mercoledi woensdag wo sroda onsdag ons",
	time.Thursday: "thursday thu thur thurs donnerstag do jeudi jeu jueves jue quinta qui giovedi gio " +
		"donderdag czwartek czw torsdag tors",
	time.Friday: "friday fri freitag fr vendredi ven viernes vie sexta sex venerdi vrijdag vr " +
		"piatek pt fredag fre",
	time.Saturday: "saturday sat samstag sonnabend sa samedi sam sabado sab sabato zaterdag za sobota sob " +
		"lordag lor",
	time.Sunday: "sunday sun sonntag so dimanche dim domingo dom domenica zondag zo niedziela nd sondag son",
}

var months, weekdays = byWord(monthNames), byWord(dayNames)

func byWord[T comparable](lists map[T]string) map[string]T {
	all := map[string]T{}
	for of, list := range lists {
		for word := range strings.FieldsSeq(list) {
			all[word] = of
		}
	}
	return all
}

// unaccented replaces the letters with accents that these names have, in lower case.
var unaccented = strings.NewReplacer("á", "a", "à", "a", "ä", "a", "â", "a", "å", "a", "ã", "a", "ç", "c",
	"é", "e", "è", "e", "ê", "e", "ë", "e", "í", "i", "ì", "i", "ó", "o", "ö", "o", "ø", "o", "ú", "u",
	"ü", "u", "û", "u", "č", "c", "ř", "r", "ě", "e", "ů", "u", "ž", "z", "š", "s", "ý", "y", "ş", "s",
	"ğ", "g", "ı", "i", "ő", "o", "ű", "u", "ą", "a", "ę", "e", "ł", "l", "ń", "n", "ś", "s", "ź", "z", "ż", "z")

// marks are accents that are characters of their own, as files of macOS have them.
var marks = regexp.MustCompile(`\p{Mn}`)

// fold returns a word as months and weekdays have it.
func fold(word string) string {
	return unaccented.Replace(strings.ToLower(strings.TrimSuffix(word, ".")))
}

var (
	word = regexp.MustCompile(`\p{L}{2,}`)
	// firstWord begins a time: the name of a day, or of a month.
	firstWord = regexp.MustCompile(`^(\p{L}{2,})(?:-feira)?[.,]* +`)
	// joints are words between the parts of a time: 12 de marzo de 2026, 12. März 2026 um 14:05 Uhr.
	joints = regexp.MustCompile(
		`(?i) (?:de|del|den|le|um|om|alle ore|alle|à|às|at|a las|klo?\.?|o godz\.) `)
	// french is a time of day with the letter h in place of the colon.
	french = regexp.MustCompile(`\b(\d{1,2}) ?h ?(\d\d)$`)
)

// inEnglish returns a text with the names of months in English, in their short form. withDots says that a dot
// behind a name belongs to the name.
func inEnglish(text string, withDots bool) string {
	named := word.ReplaceAllStringFunc(text, func(name string) string {
		if m, ok := months[fold(name)]; ok {
			return m.String()[:3]
		}
		return name
	})
	if withDots {
		named = dotted.ReplaceAllString(named, "$1")
	}
	return named
}

// Parts of the patterns of dates.
const (
	nthDay      = `^(\d{1,2})(?:st|nd|rd|th|er|º|ª)?[-./ ]*`
	shortMonths = `(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)`
)

var dotted = regexp.MustCompile(shortMonths + `\.`)

// namedDates bring each order of a date with the name of a month into one: 12 Mar 2026 and what is behind it.
var namedDates = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(nthDay + shortMonths + `[-./, ]*(\d{4})(?:[:,]? *|$)`), "$1 $2 $3 "},
	{regexp.MustCompile(nthDay + shortMonths + `[-./, ]*(\d\d)(?:,? +|$)`), "$1 $2 $3 "},
	{regexp.MustCompile(`^` + shortMonths + `[-./ ]*(\d{1,2})(?:st|nd|rd|th)?[-./, ]+(\d{4})(?:[:,]? *|$)`),
		"$2 $1 $3 "},
	{regexp.MustCompile(`^(\d{4})[-./, ]*` + shortMonths + `[-./ ]*(\d{1,2})\.?(?:[:,]? +|$)`), "$3 $2 $1 "},
	// A month is its first day, as 2026-03 is.
	{regexp.MustCompile(`^` + shortMonths + `[-./, ]*(\d{4})$`), "1 $1 $2"},
	{regexp.MustCompile(`^(\d{4})[-./, ]*` + shortMonths + `$`), "1 $2 $1"},
	// The command date: Nov 1 10:00:01 UTC 2026, and 1. Nov 10:00:01 CET 2026.
	{regexp.MustCompile(`^` + shortMonths + ` (\d{1,2}) ([\d:.]+)( [A-Z]{2,5}| [+-]\d{4})? (\d{4})$`),
		"$2 $1 $5 $3$4"},
	{regexp.MustCompile(`^(\d{1,2})\.? ` + shortMonths + ` ([\d:.]+)( [A-Z]{2,5}| [+-]\d{4})? (\d{4})$`),
		"$1 $2 $5 $3$4"},
}

// withoutWords returns a time without the name of its day, and with the name of its month between the day and
// the year, as 12 Mar 2026.
func withoutWords(text string) string {
	if text = marks.ReplaceAllString(text, ""); !word.MatchString(text) && !french.MatchString(text) {
		return text
	}
	text = french.ReplaceAllString(strings.TrimSuffix(joints.ReplaceAllString(text, " "), " Uhr"), "$1:$2")
	named := inEnglish(cutDay(text), true)
	for _, d := range namedDates {
		if d.pattern.MatchString(named) {
			return strings.TrimSpace(d.pattern.ReplaceAllString(named, d.by))
		}
	}
	return cutDay(text)
}

// cutDay returns a time without the name of a day in front of it. In front of a date without the name of a
// month, mar is March.
func cutDay(text string) string {
	m := firstWord.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	rest := text[len(m[0]):]
	_, isDay := weekdays[fold(m[1])]
	_, isMonth := months[fold(m[1])]
	if !isDay || isMonth && inEnglish(rest, false) == rest {
		return text
	}
	return rest
}

// namedDay is the name of a day in front of a layout, and what is between it and the rest.
var namedDay = regexp.MustCompile(`^Mon(?:day)?[.,]* +`)

// spelling is a layout, and a text that may be in it.
type spelling struct{ layout, text string }

// spellings returns a layout and a text as they are, and with names in other languages in English.
func spellings(layout, text string) []spelling {
	all := []spelling{{layout: layout, text: text}}
	if !strings.Contains(layout, "Jan") && !strings.Contains(layout, "Mon") {
		return all
	}
	text = marks.ReplaceAllString(text, "")
	if day := namedDay.FindString(layout); day != "" {
		layout, text = layout[len(day):], cutDay(text)
	}
	return append(all, spelling{layout: layout, text: inEnglish(text, false)},
		spelling{layout: layout, text: inEnglish(text, true)})
}
