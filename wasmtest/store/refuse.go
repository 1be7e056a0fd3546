package store

import (
	"slices"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// limits are those of workerd (src/workerd/util/sqlite.c++). For the length of a row, the limit is
// the one that Cloudflare documents.
var limits = []struct {
	category sqlite3.LimitCategory
	value    int
}{
	{sqlite3.LIMIT_LENGTH, 2_000_000},
	{sqlite3.LIMIT_SQL_LENGTH, 100_000},
	{sqlite3.LIMIT_COLUMN, 100},
	{sqlite3.LIMIT_EXPR_DEPTH, 100},
	{sqlite3.LIMIT_COMPOUND_SELECT, 5},
	{sqlite3.LIMIT_VDBE_OP, 25_000},
	{sqlite3.LIMIT_FUNCTION_ARG, 32},
	{sqlite3.LIMIT_ATTACHED, 0},
	{sqlite3.LIMIT_LIKE_PATTERN_LENGTH, 50},
	{sqlite3.LIMIT_VARIABLE_NUMBER, 100},
	{sqlite3.LIMIT_TRIGGER_DEPTH, 10},
}

// authorize refuses everything that a Durable Object refuses. It refuses every PRAGMA, although
// workerd allows a few.
func (o *object) authorize(action sqlite3.AuthorizerActionCode,
	third, fourth, _, _ string) sqlite3.AuthorizerReturnCode {
	if !o.guarded {
		return sqlite3.AUTH_OK
	}
	// One difference is left: this SQLite does not read "text" in double quotes as a string, as
	// workerd's still does.
	switch action {
	case sqlite3.AUTH_TRANSACTION, sqlite3.AUTH_SAVEPOINT, sqlite3.AUTH_PRAGMA, sqlite3.AUTH_ATTACH,
		sqlite3.AUTH_DETACH,
		sqlite3.AUTH_CREATE_TEMP_INDEX, sqlite3.AUTH_CREATE_TEMP_TABLE, sqlite3.AUTH_CREATE_TEMP_TRIGGER,
		sqlite3.AUTH_CREATE_TEMP_VIEW:
		return sqlite3.AUTH_DENY
	case sqlite3.AUTH_FUNCTION:
		if refused(fourth) {
			return sqlite3.AUTH_DENY
		}
	case sqlite3.AUTH_READ:
		if strings.HasPrefix(third, "pragma_") {
			return sqlite3.AUTH_DENY
		}
	case sqlite3.AUTH_CREATE_TABLE, sqlite3.AUTH_CREATE_VTABLE:
		if strings.HasPrefix(strings.ToLower(third), "_cf_") {
			return sqlite3.AUTH_DENY
		}
	}
	return sqlite3.AUTH_OK
}

// refusedFunctions are functions of this SQLite that workerd does not have or refuses.
var refusedFunctions = []string{
	"base64", "ceiling", "json_array_insert", "json_error_position", "json_pretty", "jsonb_array_insert",
	"log10",
	"power", "regexp", "regexpi", "soundex", "sqlite_compileoption_get", "sqlite_compileoption_used",
	"sqlite_log",
	"sqlite_source_id", "sqlite_version", "subtype", "unistr", "unistr_quote",
}

func refused(function string) bool {
	name := strings.ToLower(function)
	return slices.Contains(refusedFunctions, name) || strings.HasPrefix(name, "decimal") ||
		strings.HasPrefix(name, "ieee754")
}
