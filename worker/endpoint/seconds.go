package endpoint

import (
	"strconv"
	"time"
)

// maxSeconds bounds a duration: a day.
const maxSeconds = 86400

// seconds reads a duration in seconds, decimals allowed; fallback where it is not set.
func seconds(get Getter, name string, fallback time.Duration) (time.Duration, *Error) {
	text, ok := get(name)
	if !ok {
		return fallback, nil
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || !(s >= 0.001 && s <= maxSeconds) {
		return 0, &Error{name, "must be a number of seconds from 0.001 to 86400."}
	}
	return time.Duration(s * float64(time.Second)), nil
}
