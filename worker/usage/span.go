package usage

import "strconv"

// Span is a range of days in UTC: the last Days days including today, or the days from From to To as
// YYYY-MM-DD.
type Span struct {
	Days     int
	From, To string // "": Days
	Hours    bool   // also by the hour, as far as hours are stored
}

// IsDay reports whether a text has the form of a day, YYYY-MM-DD.
func IsDay(text string) bool {
	if len(text) != len("2026-11-26") {
		return false
	}
	for i := range len(text) {
		hyphen := i == 4 || i == 7
		if hyphen != (text[i] == '-') || !hyphen && (text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return true
}

// SQL returns the first and the last day of the span as SQL numbers. today is SQL for today.
func (s *Span) SQL(today string) (first, last string) {
	if s.From == "" {
		return "(" + today + " - " + strconv.Itoa(s.Days-1) + ")", today
	}
	return dayOf(s.From), dayOf(s.To)
}

func dayOf(text string) string { return "(CAST(strftime('%s', '" + text + "') AS INTEGER) / 86400)" }
