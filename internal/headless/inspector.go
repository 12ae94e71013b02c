package headless

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/inspect"
)

// inspectVariable is the environment variable with the token of -inspect: command lines
// are no secret.
const inspectVariable = "TACTUS_INSPECT_TOKEN"

// openInspector serves the inspector of a server that does not run yet, where -inspect
// says, until ctx ends. It is nil without -inspect.
func (o *Options) openInspector(ctx context.Context, s *systems.Server, out io.Writer) (*inspect.Inspector, error) {
	if o.Inspect == "" {
		return nil, nil
	}
	x, err := inspect.New(s, inspect.Config{Token: os.Getenv(inspectVariable), Logger: o.files.log})
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

// report tells the inspector what a bot was corrected for; thin ones
// predict nothing.
func (m *Match) report(p *player) {
	if id := p.id.Load(); m.inspector != nil && !m.o.thin && id != 0 {
		m.inspector.Report(id, p.client.Causes())
	}
}
