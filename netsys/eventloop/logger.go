//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"fmt"
	"log/slog"
)

// logger takes gnet's messages; a nil Logger discards them. Without one gnet writes to standard output. gnet
// sends some messages to the logger of the engine that started last in the process.
type logger struct{ to *slog.Logger }

func (l logger) Debugf(string, ...any) {}
func (l logger) Infof(string, ...any)  {}

func (l logger) Warnf(format string, args ...any) {
	if l.to != nil {
		l.to.Warn(fmt.Sprintf(format, args...))
	}
}

func (l logger) Errorf(format string, args ...any) {
	if l.to != nil {
		l.to.Error(fmt.Sprintf(format, args...))
	}
}

func (l logger) Fatalf(format string, args ...any) { l.Errorf(format, args...) }
