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

// endlessDuration is the duration of a match that runs until Ctrl-C.
const endlessDuration = 1000 * time.Hour

// Live plays a match on real sockets until ctx ends. It shows a live table, then prints a report.
func Live(ctx context.Context, game Game, o Options, out io.Writer) error {
	o.Duration, o.Warmup = endlessDuration, time.Second
	m, err := newReal(ctx, game, o, "127.0.0.1:0")
	if err != nil {
		return err
	}
	return showLive(ctx, m, out)
}

// LiveOn is [Live] on a transport that other clients can join too. at is its address for bots. The link flags apply to the
// bots only. The match closes wire. Bots are thin clients, which need little CPU, if the model allows it and no flag asks
// for figures that thin clients lack. The result of note is printed below the table; note may be nil.
func LiveOn(ctx context.Context, game Game, o Options, wire netsys.Wire, at string, out io.Writer, note func() string) error {
	o.Duration, o.Warmup = endlessDuration, time.Second
	o.thin = o.canBeThin()
	m, err := newOn(ctx, game, o, wire, at, true)
	if err != nil {
		return err
	}
	m.live.note = note
	return showLive(ctx, m, out)
}

// showLive plays a match, shows the table, and prints a report.
func showLive(ctx context.Context, m *match, out io.Writer) error {
	game, o := &m.game, &m.o
	var err error
	if m.inspector, err = game.openInspector(ctx, o, m.server, out); err != nil {
		return errors.Join(err, m.close())
	}
	fmt.Fprintf(out, "%s: server on %v, %d bots, link %s; Ctrl-C ends it\n", game.Name, m.link.LocalAddr(), o.bots(), o.describeLink())
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

// show prints the table with the note below. On a terminal it refreshes the table in place every second. Elsewhere it
// prints a table every ten seconds, and a changed note immediately.
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

// inspectVariable is the environment variable with the token of -inspect. Command lines are visible to other users.
const inspectVariable = "TACTUS_INSPECT_TOKEN"

// openInspector starts the inspector of a server at the address of -inspect, until ctx ends. Call it before the server
// runs. It returns nil without -inspect.
func (g *Game) openInspector(ctx context.Context, o *Options, s *systems.Server, out io.Writer) (Inspector, error) {
	if o.Inspect == "" {
		return nil, nil
	}
	x, err := g.Inspect(s, os.Getenv(inspectVariable), o.files.log)
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
