package host

import (
	"errors"

	"edgelingua/wasmtest/host/js"
	"edgelingua/wasmtest/seal"
)

// The codes of settle for open.
const (
	unopenedCode = 1
	staleCode    = 2
)

// settleLater settles a call that waits for nothing, in a separate tick.
func (x *hostRequest) settleLater(code int, data []byte, err error) js.Value {
	x.loop.Later(func() {
		if err != nil {
			x.settleFailure(err)
			return
		}
		x.settle(code, data)
	})
	return nil
}

func (x *hostRequest) digest(args arguments) js.Value {
	return x.settleLater(0, []byte(seal.Digest(args.bytes(0))), nil)
}

func (x *hostRequest) seal(args arguments) js.Value {
	sealed, err := seal.Seal(x.env, args.bytes(0), args.bytes(1))
	return x.settleLater(0, []byte(sealed), err)
}

func (x *hostRequest) open(args arguments) js.Value {
	secret, stale, err := seal.Open(x.env, args.bytes(0), args.string(1))
	switch {
	case errors.Is(err, seal.ErrUnopened):
		x.log.Printf("edgelingua: %v", err)
		return x.settleLater(unopenedCode, nil, nil)
	case stale:
		return x.settleLater(staleCode, secret, nil)
	}
	return x.settleLater(0, secret, err)
}
