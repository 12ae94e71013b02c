package netsys_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// A client that does not read at all times out; until then the server sends to it as if nothing was, and keeps no
// more for it than for others.
func TestDeafClient(t *testing.T) {
	s := newStage(t, netsys.ServerConfig{Timeout: 5 * time.Second})
	honest, deaf := s.seat(1, netsys.Link{}), s.seat(2, netsys.Link{})
	s.run(time.Second, func() {
		honest.everything()
		deaf.everything()
	})
	deaf.asleep = true
	s.run(4*time.Second, func() {
		honest.everything()
		deaf.hear()
	})
	if deaf.endAtServer != nil {
		t.Fatalf("ended too early with %v", deaf.endAtServer)
	}
	s.run(2*time.Second, honest.everything)
	if !errors.Is(deaf.endAtServer, netsys.ErrTimeout) || s.server.Len() != 1 {
		t.Errorf("ended with %v, %d clients", deaf.endAtServer, s.server.Len())
	}
	honest.perfect()
}
