//go:build !js

package main

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems"
)

// A server from which nothing comes any more is noticed, and so is that it is back.
func TestSilence(t *testing.T) {
	m := newMatch(t, matchConfig{})
	v := visit(m.ctx, m.address, 0)
	until(t, "it plays", func() bool { return v.see(v.online.connected) })

	var s silence
	var c *systems.Client
	now := time.Unix(0, 0)
	v.see(func() bool {
		c = v.online.client
		s.listen(c, now)
		return true
	})
	if d := s.lasts(now.Add(tooLong - 1)); d != 0 {
		t.Errorf("it complains of %v, which is usual", d)
	}
	if d := s.lasts(now.Add(3 * time.Second)); d != 3*time.Second {
		t.Errorf("after 3 s without a packet it says %v", d)
	}
	now = now.Add(4 * time.Second)
	until(t, "there is something new", func() bool {
		return v.see(func() bool { s.listen(c, now); return s.lasts(now) == 0 })
	})
}
