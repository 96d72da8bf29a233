package timetext

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// Parts of the layout of a Clock: an offset, the name of a zone, AM or PM, and decimals of a second.
const (
	layoutOffset   = "Z0700"
	layoutZoneName = "MST"
	layoutHalf     = "PM"
	layoutFraction = "999999999"
)

// equalForms are the forms of one part of a layout, the longest of names first.
var equalForms = [][]string{
	{layoutOffset, "Z07:00", "Z07", layoutZoneName}, {"January", "Jan"}, {"Monday", "Mon"},
}

// colonFraction is a fraction of a second behind a colon.
var colonFraction = regexp.MustCompile(`:(\d{1,9})(\D*)$`)

// plainMarks replaces a character that package time reads as a space in front of a day.
var plainMarks = strings.NewReplacer("_", "~")

// formatted reads a time in the user's form. An offset and the name of a month or day may be written in each
// of their forms, and white space stands for any white space, as for strptime.
func (c Clock) formatted(text string) (at time.Time, zoned bool, err error) {
	whole := plainMarks.Replace(spaces.ReplaceAllString(c.Layout, " "))
	text = plainMarks.Replace(spaces.ReplaceAllString(strings.TrimSpace(text), " "))
	if point := strings.Replace(whole, ":"+layoutFraction, "."+layoutFraction, 1); point != whole {
		whole, text = point, colonFraction.ReplaceAllString(text, ".$1$2")
	}
	if strings.Contains(c.Layout, layoutHalf) {
		text = capitalHalf(text)
	}
	offset := strings.Contains(c.Layout, "07")
	for _, s := range spellings(whole, text) {
		for _, layout := range eachForm(s.layout) {
			if at, err = time.ParseInLocation(layout, s.text, time.UTC); err != nil {
				continue
			}
			if name, _ := at.Zone(); strings.Contains(layout, layoutZoneName) && name != "UTC" {
				at, err = c.zoned(at.UTC(), name) // package time takes a name that it does not know for UTC
			}
			return at, offset, err
		}
	}
	return at, false, fmt.Errorf("%w %q", ErrNoFormat, c.Format)
}

// eachForm returns a layout with its parts in each of their forms.
func eachForm(layout string) []string {
	layouts := []string{layout}
	for _, forms := range equalForms {
		isUsed := func(form string) bool { return strings.Contains(layout, form) }
		if i := slices.IndexFunc(forms, isUsed); i >= 0 {
			layouts = inEachForm(layouts, forms[i], forms)
		}
	}
	return layouts
}

// inEachForm returns layouts with a part in each of its forms.
func inEachForm(layouts []string, part string, forms []string) (all []string) {
	for _, layout := range layouts {
		for _, form := range forms {
			all = append(all, strings.ReplaceAll(layout, part, form))
		}
	}
	return all
}

// halfOfDay is AM or PM as people write it: p.m., and p. m. in Spanish.
var halfOfDay = regexp.MustCompile(`(?i)\b[ap](?:\. ?)?m\b\.?|[0-9][ap]m\b`)

// dots are in AM and PM as people write them.
var dots = strings.NewReplacer(".", "", " ", "")

// capitalHalf returns a text with AM or PM as package time reads it.
func capitalHalf(text string) string {
	return halfOfDay.ReplaceAllStringFunc(text, func(half string) string {
		return strings.ToUpper(dots.Replace(half))
	})
}

// directives are the forms of strptime in the layouts of package time. They read numbers without zeros too.
var directives = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "1", 'd': "2", 'e': "2", 'H': "15", 'k': "15", 'I': "3", 'l': "3", 'M': "4",
	'S': "5", 'f': layoutFraction, 'L': layoutFraction, 'N': layoutFraction, 'p': layoutHalf, 'P': layoutHalf,
	'b': "Jan", 'h': "Jan", 'B': "January",
	'a': "Mon", 'A': "Monday", 'j': "002", 'z': layoutOffset, 'Z': layoutOffset, 'T': "15:4:5", 'R': "15:4",
	'D': "1/2/06", 'F': "2006-1-2", 'c': "Mon Jan 2 15:4:5 2006", 'r': "3:4:5 " + layoutHalf, 'x': "1/2/06",
	'X': "15:4:5", 'n': " ", 't': " ", '%': "%",
}

// literal returns the layout of a character of a format at i. A Z at the end says UTC, which is an offset.
func literal(format string, i int) string {
	if format[i] == 'Z' && i == len(format)-1 {
		return layoutOffset
	}
	return format[i : i+1]
}

// SetFormat sets how times are written: by the directives of strptime, or as numbers of a unit: s, ms, us,
// ns, or excel for the days of a spreadsheet.
func (c *Clock) SetFormat(format string) error {
	c.Format = format
	if unit, ok := epochUnits[strings.TrimPrefix(format, "%")]; ok {
		c.Unit = unit
		return nil
	}
	var layout strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			layout.WriteString(literal(format, i))
			continue
		}
		for i++; i < len(format) && strings.IndexByte("-_0^#:EO", format[i]) >= 0; {
			i++ // flags say how a part is written, and each way is read
		}
		if i == len(format) {
			return usererr.Errorf("%q ends within a directive", format)
		}
		part, ok := directives[format[i]]
		if !ok {
			return usererr.Errorf(
				"%%%c is not read: use %%Y %%m %%d %%H %%M %%S %%f %%z %%b %%p %%j, or s, ms, us, ns or excel", format[i])
		}
		layout.WriteString(part)
	}
	c.Layout = layout.String()
	return nil
}
