package timetext

import (
	"errors"
	"strings"
)

// Settings say how a user sets the form and the zone of times at a door: each returns a sentence for a value.
type Settings struct{ Format, Zone func(value string) string }

// flags are the settings of the commands that read files.
var flags = Settings{
	Format: func(value string) string { return "pass --time-format " + value },
	Zone:   func(value string) string { return "pass --zone " + value },
}

// readError is an error of Clock.Read. Its text depends on how times are set where the text was sent.
type readError struct{ text func(set Settings) string }

// Error says what to do by the flags of commands.
func (e *readError) Error() string { return e.text(flags) }

// The errors of Clock.
var (
	ErrNoZone error = &readError{func(set Settings) string {
		return "has no time zone: " + set.Zone("UTC") + ", or the place that it is of, such as Europe/Berlin"
	}}
	ErrNoTime error = &readError{func(set Settings) string {
		return "is not a time: want 2026-04-20T14:00:00Z, 2026-04-20 14:00, or epoch seconds or " +
			"milliseconds; for another form, " + set.Format("'%d.%m.%Y %H:%M'") + ", as it is written"
	}}
	ErrNoFormat       = errors.New("is not in the form")
	ErrSmall    error = &readError{func(set Settings) string {
		return "is not a time: as epoch seconds it is in 1970; five digits are the day number of a " +
			"spreadsheet: " + set.Format("excel") + ", or write it as a date"
	}}
	ErrSlashes error = &readError{func(set Settings) string {
		return "is a date with the month or the day first: " + set.Format("'%m/%d/%Y'") +
			" or '%d/%m/%Y', with its marks and the time of day as they are written"
	}}
	// ErrZoneName is returned for a zone whose name is not enough to know its offset: IST is the time of
	// India, of Ireland and of Israel.
	ErrZoneName error = &readError{func(set Settings) string {
		return "has the name of a time zone that does not say its offset: " + set.Zone("Asia/Kolkata") +
			", or the place that it is of, or write the offset, such as +05:30"
	}}
)

// Message returns the text of an error of Clock.Read where times are set in some way.
func Message(err error, set Settings) string {
	known := new(readError)
	if !errors.As(err, &known) {
		return err.Error()
	}
	return strings.Replace(err.Error(), known.Error(), known.text(set), 1)
}
