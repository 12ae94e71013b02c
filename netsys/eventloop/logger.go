//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"fmt"
	"log/slog"
)

// logger receives gnet's messages. With a nil Logger it discards them; without any logger gnet would write to standard output.
// gnet sends some messages to the logger of the engine that was started last in the process.
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
