package crowd

import (
	"runtime"

	"github.com/tactusgo/tactus/internal/bench/apart"
)

// Apart holds this process, the load, to all processors but the last, and returns what starts others on that. With one
// processor, or without wanting it, all share all.
func Apart(want bool) (on func(start func() error) error, err error) {
	p, err := apart.Split(1)
	if !want || err != nil || p.All.Count() == 1 {
		return func(start func() error) error { return start() }, nil
	}
	if err := apart.Stay(&p.Load); err != nil {
		return nil, err
	}
	runtime.GOMAXPROCS(p.Load.Count())
	p.All = p.Load // where this thread is to go on
	return func(start func() error) error { return p.On(&p.Servers, start) }, nil
}
