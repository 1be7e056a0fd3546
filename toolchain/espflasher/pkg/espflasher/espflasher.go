// Package espflasher replaces TinyGo's dependency of the same name, which writes programs to ESP
// chips. This project writes to no chip, and public module proxies lack the version required by
// TinyGo 0.42.0.
package espflasher

import (
	"errors"
	"io"
)

const ResetUSBJTAG = 0

type FlasherOptions struct {
	Compress  bool
	Logger    *StdoutLogger
	ResetMode int
}

type StdoutLogger struct{ W io.Writer }

type Flasher struct{}

var errNone = errors.New("this build of TinyGo can't write to a chip")

func DefaultOptions() *FlasherOptions { return new(FlasherOptions) }

// New always fails, so the methods of a Flasher are never called.
func New(string, *FlasherOptions) (*Flasher, error) { return nil, errNone }

func (*Flasher) Close() error                                         { return errNone }
func (*Flasher) ChipName() string                                     { return "" }
func (*Flasher) EraseFlash(func(done, all int)) error                 { return errNone }
func (*Flasher) FlashImage([]byte, uint32, func(done, all int)) error { return errNone }
func (*Flasher) Reset()                                               {}
