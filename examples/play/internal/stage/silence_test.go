//go:build !js

package stage

import (
	"testing"
	"time"
)

// A server from which nothing comes any more is noticed, and so is that it is back.
func TestSilence(t *testing.T) {
	s := newDots(t)
	var quiet silence
	now := time.Unix(0, 0)
	c := s.client
	quiet.listen(c, now)
	if d := quiet.lasts(now.Add(tooLong - 1)); d != 0 {
		t.Errorf("it complains of %v, which is usual", d)
	}
	if d := quiet.lasts(now.Add(3 * time.Second)); d != 3*time.Second {
		t.Errorf("after 3 s without a packet it says %v", d)
	}
	now = now.Add(4 * time.Second)
	s.until("there is something new", func() bool {
		quiet.listen(c, now)
		return quiet.lasts(now) == 0
	})
}
