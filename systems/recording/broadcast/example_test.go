package broadcast_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/recording"
	"github.com/tactusgo/tactus/systems/recording/broadcast"
)

// broadcastMatch records a match to a stream. The match's server serves it to relays, half a minute later.
func broadcastMatch(s *systems.Server) (http.Handler, error) {
	stream := broadcast.NewStream(broadcast.Config{Delay: 30 * time.Second})
	return stream, s.Record(recording.NewWriter(stream, recording.Config{}), 0)
}

// relay serves the match at a URL to viewers. It is all that the process of a relay does.
func relay(ctx context.Context, match string) http.Handler {
	stream := broadcast.NewStream(broadcast.Config{})
	go func() {
		if err := broadcast.Relay(ctx, match, stream); err != nil {
			fmt.Println("the relay has lost the match:", err)
		}
	}()
	return stream
}

func ExampleRelay() {
	stream := broadcast.NewStream(broadcast.Config{})
	w := recording.NewWriter(stream, recording.Config{})
	match := httptest.NewServer(stream)
	defer match.Close()
	viewers := httptest.NewServer(relay(context.Background(), match.URL))
	defer viewers.Close()

	segment(w, 0)
	segment(w, 1)
	v, err := broadcast.Watch(context.Background(), viewers.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer v.Close()
	fmt.Println("a recording of", v.Reader.Header().Protocol)
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
	stream.End()
	// Output: a recording of dots/1
}

// The match of a server is recorded to the stream.
func TestBroadcastMatch(t *testing.T) {
	start := time.Unix(0, 0)
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[components.Position](p, 0)
	s, err := systems.NewServer(netsys.NewNetwork().Node(netip.MustParseAddrPort("127.0.0.1:7777")), p, systems.ServerConfig{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	match, err := broadcastMatch(s)
	if err != nil {
		t.Fatal(err)
	}
	for at := time.Duration(0); at < 2*recording.DefaultInterval; at += time.Second / 60 {
		s.Advance(start.Add(at))
	}
	for range 5000 { // another goroutine writes
		if match.(*broadcast.Stream).Len() > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Error("nothing is recorded")
}
