package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// endless is the length of a match that Ctrl-C ends.
const endless = 1000 * time.Hour

// Live plays a match on real sockets until ctx ends, showing a table, and sums up.
func Live(ctx context.Context, world World, o Options, out io.Writer) error {
	o.Duration, o.Warmup = endless, time.Second
	m, err := newReal(ctx, world, o, "127.0.0.1:0")
	if err != nil {
		return err
	}
	return showLive(ctx, m, out)
}

// LiveOn is [Live] on a wire that others can join too, where bots find it at an
// address: the flags of the link are for bots alone. The match closes the wire. Its bots
// are thin clients, which cost next to nothing, where the model has such and no flag asks
// for what only others show. Below its table stands what note says.
func LiveOn(ctx context.Context, world World, o Options, wire netsys.Wire, at string, out io.Writer, note func() string) error {
	o.Duration, o.Warmup = endless, time.Second
	o.thin = o.canBeThin()
	m, err := newOn(ctx, world, o, wire, at, true)
	if err != nil {
		return err
	}
	m.live.note = note
	return showLive(ctx, m, out)
}

// showLive plays, shows a table, and sums up.
func showLive(ctx context.Context, m *match, out io.Writer) error {
	world, o := &m.world, &m.o
	var err error
	if m.inspector, err = world.openInspector(ctx, o, m.server, out); err != nil {
		return errors.Join(err, m.close())
	}
	fmt.Fprintf(out, "%s: server on %v, %d bots, link %s; Ctrl-C ends it\n", world.Name, m.link.LocalAddr(), o.bots(), o.describeLink())
	done := make(chan struct{})
	go func() {
		defer close(done)
		show(ctx, m, out)
	}()
	err = m.playReal(ctx, nil)
	<-done
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	r := m.report()
	fmt.Fprintln(out)
	return r.print(out)
}

// show prints the table and the note below it: every second in place on a terminal,
// elsewhere one after the other every ten, and a note that has changed at once.
func show(ctx context.Context, m *match, out io.Writer) {
	inPlace, every := false, 10
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			inPlace, every = true, 1
		}
	}
	t := time.NewTicker(time.Second)
	defer t.Stop()
	var last reading
	var text bytes.Buffer
	said := ""
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if inPlace && n > 0 {
			fmt.Fprintf(out, "\x1b[%dA\x1b[J", bytes.Count(text.Bytes(), []byte("\n")))
		}
		text.Reset()
		table := n%every == 0
		if table {
			last = m.live.table(m, &text, last)
		}
		if m.live.note != nil {
			if note := m.live.note(); note != "" && (table || note != said) {
				fmt.Fprintf(&text, "\n%s\n", note)
				said = note
			}
		}
		_, _ = out.Write(text.Bytes())
	}
}

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
