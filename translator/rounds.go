package translator

import (
	"edgelingua/translator/stages"
)

// Rounds reports whether the answer may take several rounds, after AppendRequest: the model has a
// function for searches, webpages, advice or further tools (stages.WebTools).
func (x *Exchange) Rounds() bool { return x.web != nil }

// Waits reports whether a round has ended and the answer continues: first with the searches and
// webpages from Search, then with AppendNext of Stream or Plain.
func (x *Exchange) Waits() bool { return x.web != nil && x.web.Waits() }

// Search returns the next search, webpage or consultation for the answer. ok is false if the answer
// waits for the next round instead. Search panics unless Rounds.
func (x *Exchange) Search() (s stages.Search, ok bool) { return x.web.Next() }

// found reads the results of Search, or the code of the failure.
func (x *Exchange) found(hits []stages.Hit, code string) {
	searches, fetches := x.web.Found(hits, code)
	x.Ran += searches
	x.Fetched += fetches
}

// appendNext appends the body of the next round's request. Afterwards c reads the round's answer.
func (x *Exchange) appendNext(dst []byte, c *cutter) ([]byte, error) {
	x.upstreamRequest = x.web.NextRound(x.upstreamRequest)
	if x.FindTools && x.pair.Client != x.pair.Upstream { // the round may have more tools
		x.upstreamRequest, x.keys = stages.RenameMoreKeys(x.upstreamRequest, x.target, x.keys)
	}
	*c = cutter{decoder: x.roundDecoder(x.web)}
	dst, err := x.pair.Upstream.Upstream.AppendRequest(dst, x.upstreamRequest, x.target, &x.Lost)
	return dst, x.pair.failed(err)
}
