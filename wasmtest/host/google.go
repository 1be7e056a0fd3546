package host

import (
	"errors"
	"strconv"
	"time"

	"edgelingua/wasmtest/google"
	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/seal"
	"edgelingua/worker/endpoint"
)

// token implements the bridge's token.
func (x *hostRequest) token(args arguments) js.Value {
	context, sealed := args.bytes(0), args.string(1)
	x.loop.Async(func() func() {
		t, err := x.tokenOf(context, sealed)
		return func() {
			if err != nil {
				x.settleFailure(err)
				return
			}
			x.settle(0, []byte(strconv.FormatInt(t.Expires.Unix(), 10)+" "+t.Text))
		}
	})
	return nil
}

func (x *hostRequest) tokenOf(context []byte, sealed string) (google.Token, error) {
	if sealed == "" {
		return x.tokens.Get(x.ctx, x.direct, x.env["UPSTREAM_KEY"], time.Now())
	}
	key, _, err := seal.Open(x.env, context, sealed)
	if errors.Is(err, seal.ErrUnopened) {
		return google.Token{}, errors.New("the key" + endpoint.Unopened)
	}
	if err != nil {
		return google.Token{}, err
	}
	return google.Get(x.ctx, x.direct, string(key), time.Now())
}
