package headless

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// ExitUsage is the exit code for flags that are not allowed.
const ExitUsage = 2

// Main is the command of an example world: it parses args, plays, and returns
// the exit code.
func Main(ctx context.Context, world World, args []string, stdout, stderr io.Writer) int {
	var o Options
	var serve, connect string
	fs := flag.NewFlagSet(world.Name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	o.Register(fs)
	fs.StringVar(&serve, "serve", "", "only serve, at this address, such as 127.0.0.1:7777")
	fs.StringVar(&connect, "connect", "", "only play bots, against the server at this address")
	if world.Flags != nil {
		world.Flags(fs)
	}
	fs.Usage = func() {
		fmt.Fprintf(stderr, "usage: %s [flags]\n\n"+
			"Without flags: a server and bots over real sockets through a bad link, with a live\n"+
			"table; Ctrl-C ends it. -headless plays for -duration and sums up.\n\n", world.Name)
		if world.About != "" {
			fmt.Fprintf(stderr, "%s\n\n", world.About)
		}
		fs.PrintDefaults()
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return ExitUsage
	}
	o.suit(fs)
	err := o.Validate()
	if err == nil {
		err = o.validateCommand(fs.Args(), serve, connect)
	}
	if err == nil {
		err = o.access.open(&o)
	}
	end := func() error { return nil }
	if err == nil {
		end, err = o.open(stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return ExitUsage
	}
	switch {
	case o.Headless:
		err = Run(ctx, world, o, stdout, stderr)
	case serve != "":
		err = Serve(ctx, world, o, serve, stdout)
	case connect != "":
		err = Connect(ctx, world, o, connect, stdout)
	case world.Live != nil:
		err = world.Live(ctx, world, o, stdout, stderr)
	default:
		err = Live(ctx, world, o, stdout)
	}
	if errors.Is(err, netsys.ErrInsecure) {
		err = fmt.Errorf("%w\nHere that is -key for the server and -token or -key for clients, or -insecure-anyone-can-join for both", err)
	}
	err = errors.Join(err, end())
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", world.Name, err)
		return 1
	}
	return 0
}

// validateCommand says in one line what does not go together.
func (o *Options) validateCommand(args []string, serve, connect string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("%q: only flags are allowed", args[0])
	case serve != "" && connect != "":
		return errors.New("-serve and -connect: only one of them is allowed")
	case (serve != "" || connect != "") && o.Headless:
		return errors.New("-headless: not allowed with -serve or -connect")
	case o.Inspect != "" && connect != "":
		return errors.New("-inspect: not allowed with -connect, the server has it")
	case o.Record != "" && connect != "":
		return errors.New("-record: not allowed with -connect, the server records")
	case o.Token != "" && connect == "":
		return errors.New("-token: allowed with -connect only; a server, and bots beside it, need -key")
	}
	return nil
}

// endless is the length of a match that Ctrl-C ends.
const endless = 1000 * time.Hour

// Live plays a match on real sockets until ctx ends, showing a table, and sums up.
func Live(ctx context.Context, world World, o Options, out io.Writer) error {
	o.Duration, o.Warmup = endless, time.Second
	m, err := NewReal(ctx, world, o, "127.0.0.1:0")
	if err != nil {
		return err
	}
	return m.showLive(ctx, out)
}

// LiveOn is [Live] on a wire that others can join too, where bots find it at an
// address: the flags of the link are for bots alone. The match closes the wire. Its bots
// are thin clients, which cost next to nothing, where the model has such and no flag asks
// for what only others show. Below its table stands what note says.
func LiveOn(ctx context.Context, world World, o Options, wire netsys.Wire, at string, out io.Writer, note func() string) error {
	o.Duration, o.Warmup = endless, time.Second
	o.thin = !o.everywhere() && o.Without == "" && o.Push == 0
	m, err := newOn(ctx, world, o, wire, at, true)
	if err != nil {
		return err
	}
	m.note = note
	return m.showLive(ctx, out)
}

// showLive plays, shows a table, and sums up.
func (m *Match) showLive(ctx context.Context, out io.Writer) error {
	world, o := m.world, &m.o
	var err error
	if m.inspector, err = o.openInspector(ctx, m.server, out); err != nil {
		return errors.Join(err, m.close())
	}
	fmt.Fprintf(out, "%s: server on %v, %d bots, link %s; Ctrl-C ends it\n", world.Name, m.link.LocalAddr(), o.Clients, o.describeLink())
	done := make(chan struct{})
	go func() {
		defer close(done)
		m.show(ctx, out)
	}()
	err = m.Real(ctx, nil)
	<-done
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	r := m.Report()
	fmt.Fprintln(out)
	return r.print(out)
}

func (o *Options) describeLink() string {
	return fmt.Sprintf("%v ± %v, %.3g %% lost", o.RTT, o.Jitter, 100*o.Loss)
}

// show prints the table and the note below it: every second in place on a terminal,
// elsewhere one after the other every ten, and a note that has changed at once.
func (m *Match) show(ctx context.Context, out io.Writer) {
	inPlace, every := false, 10
	if f, ok := out.(*os.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			inPlace, every = true, 1
		}
	}
	t := time.NewTicker(time.Second)
	defer t.Stop()
	var last Reading
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
			last = m.Table(&text, last)
		}
		if m.note != nil {
			if note := m.note(); note != "" && (table || note != said) {
				fmt.Fprintf(&text, "\n%s\n", note)
				said = note
			}
		}
		_, _ = out.Write(text.Bytes())
	}
}

// Serve runs a world's server alone until ctx ends.
func Serve(ctx context.Context, world World, o Options, addr string, out io.Writer) error {
	way, _ := TransportOf(o.Transport)
	wire, err := way.Listen(addr)
	if err != nil {
		return err
	}
	if o.Key != "" && o.Public == "" && wire.LocalAddr().Addr().IsUnspecified() {
		return errors.Join(fmt.Errorf("-serve %s -key: tokens cannot name %v, -public must say how they name this server", addr, wire.LocalAddr()), wire.Close())
	}
	o.access.joined = func(client uint32, s netsys.Session) {
		fmt.Fprintf(out, "client %d has joined: player %d %q\n", client, s.ClientID(), bytes.TrimRight(s.UserData(), "\x00"))
	}
	s, err := NewServer(world, o, wire, time.Now(), nil)
	if err != nil {
		return errors.Join(err, wire.Close())
	}
	if _, err := o.openInspector(ctx, s, out); err != nil {
		return errors.Join(err, s.Close(time.Now()))
	}
	fmt.Fprintf(out, "%s: serving on %v; Ctrl-C ends it\n", world.Name, wire.LocalAddr())
	err = s.Run(ctx)
	st := s.Stats()
	fmt.Fprintf(out, "%d ticks, %d dropped, %d inputs consumed, %d updates sent; datagrams dropped: %s\n",
		st.Ticks, st.TicksDropped, st.Inputs.Consumed, st.Updates, drops(&st))
	return err
}

// Connect plays bots against a server elsewhere until ctx ends. The link's
// flags condition both directions here.
func Connect(ctx context.Context, world World, o Options, addr string, out io.Writer) error {
	if err := o.collect(ctx); err != nil {
		return err
	}
	way, _ := TransportOf(o.Transport)
	m := &Match{o: o, world: world, start: time.Now()}
	for n := range o.Clients {
		wire, server, err := way.Dial(ctx, addr)
		if err != nil {
			return err
		}
		if err := m.addPlayer(n, wire, server); err != nil {
			return errors.Join(err, wire.Close())
		}
		if err := m.players[n].link.SetLinks(o.link(), o.link()); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%s: %d bots to %s, link %s; Ctrl-C ends it\n", world.Name, o.Clients, addr, o.describeLink())
	return m.playRemote(ctx, out)
}
