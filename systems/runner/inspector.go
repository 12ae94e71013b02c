package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/tactusgo/tactus/systems"
)

// inspectVariable is the environment variable with the token of -inspect: command lines
// are no secret.
const inspectVariable = "TACTUS_INSPECT_TOKEN"

// openInspector serves the inspector of a server that does not run yet, where -inspect
// says, until ctx ends. It is nil without -inspect.
func (w *World) openInspector(ctx context.Context, o *Options, s *systems.Server, out io.Writer) (Inspector, error) {
	if o.Inspect == "" {
		return nil, nil
	}
	x, err := w.Inspect(s, os.Getenv(inspectVariable), o.files.log)
	if err != nil {
		return nil, fmt.Errorf("-inspect, %s: %w", inspectVariable, err)
	}
	l, err := net.Listen("tcp", o.Inspect)
	if err != nil {
		return nil, fmt.Errorf("-inspect: %w", err)
	}
	if err := x.Allows(l.Addr()); err != nil {
		return nil, errors.Join(fmt.Errorf("-inspect %s: set %s: %w", o.Inspect, inspectVariable, err), l.Close())
	}
	go func() {
		if err := x.Serve(ctx, l); err != nil && out != nil {
			fmt.Fprintf(out, "inspector: %v\n", err)
		}
	}()
	if out != nil {
		fmt.Fprintf(out, "inspector: http://%v/\n", l.Addr())
	}
	return x, nil
}
