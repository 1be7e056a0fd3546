package models

// This file replaces package time, which would add 10 KB to the compressed module. The calendar is
// RFC 3339's. Years start in March, because then the leap day is the last day of a year.
const (
	day        = 24 * 60 * 60
	era        = 400*365 + 97 // days in 400 years
	epoch      = 719468       // days from March of the year 0 to 1970
	latestTime = 253402300799 // the end of the year 9999
)

// seconds converts a UTC time such as 2026-02-04T10:20:30Z to seconds since 1970. It ignores
// fractions of a second. For times before 1970 and for any other text it returns 0.
func seconds(s string) int64 {
	const form = "0000-00-00T00:00:00"
	if len(s) < len(form)+1 || s[len(s)-1] != 'Z' {
		return 0
	}
	var fields [6]int64
	n := 0
	for i := range form {
		switch {
		case form[i] != '0' && s[i] == form[i]:
			n++
		case form[i] == '0' && '0' <= s[i] && s[i] <= '9':
			fields[n] = fields[n]*10 + int64(s[i]-'0')
		default:
			return 0
		}
	}
	year, month := fields[0], fields[1]-3
	if month < 0 {
		year, month = year-1, month+12
	}
	if year < 0 {
		return 0
	}
	days := year*365 + year/4 - year/100 + year/400 + (month*153+2)/5 + fields[2] - 1 - epoch
	return max(0, days*day+fields[3]*60*60+fields[4]*60+fields[5])
}

// AppendTime appends a time, given in seconds since 1970, in the form used in lists:
// 2026-02-04T10:20:30Z.
func AppendTime(dst []byte, t int64) []byte {
	t = min(max(0, t), latestTime)
	days := t/day + epoch
	ofEra := days % era
	years := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/(era-1)) / 365
	ofYear := ofEra - (years*365 + years/4 - years/100)
	month := (ofYear*5 + 2) / 153
	date := ofYear - (month*153+2)/5 + 1
	year := days/era*400 + years
	if month += 3; month > 12 {
		year, month = year+1, month-12
	}
	dst = appendTwo(appendTwo(dst, year/100), year%100)
	dst = appendTwo(append(dst, '-'), month)
	dst = appendTwo(append(dst, '-'), date)
	dst = appendTwo(append(dst, 'T'), t/3600%24)
	dst = appendTwo(append(dst, ':'), t/60%60)
	dst = appendTwo(append(dst, ':'), t%60)
	return append(dst, 'Z')
}

func appendTwo(dst []byte, n int64) []byte { return append(dst, byte('0'+n/10), byte('0'+n%10)) }
