package clients

import (
	"errors"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// Code is an error as a number below 0; [OK] is none.
type Code int32

// The codes of tactus.h.
const (
	OK Code = -iota
	NoClient
	Argument
	Time
	Value
	NotConnected
	Full
	Ended
	Failed
)

// CodeOf returns the code of an error of a host.
func CodeOf(err error) Code {
	if err == nil {
		return OK
	}
	for _, k := range [...]struct {
		err  error
		code Code
	}{
		{errArgument, Argument}, {host.ErrTime, Time}, {host.ErrValue, Value}, {systems.ErrNotConnected, NotConnected},
		{netsys.ErrFull, Full}, {channel.ErrFull, Full}, {systems.ErrCommands, Full}, {netsys.ErrClosed, Ended},
	} {
		if errors.Is(err, k.err) {
			return k.code
		}
	}
	return Failed
}
