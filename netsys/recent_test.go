package netsys

import (
	"testing"
	"time"
)

// Loss and minimum round trip are those of the last 10 s, in steps of half a second: older values are forgotten, newer ones
// are not.
func TestFiguresOfTheLastTenSeconds(t *testing.T) {
	near, far := Link{Latency: 20 * time.Millisecond}, Link{Latency: 60 * time.Millisecond}
	m := newMatch(t, matchConfig{link: near}).connect()
	s := m.client.Session()
	run := func(d time.Duration) {
		for end := m.now.Add(d); m.now.Before(end); {
			m.send(s, "up")
			m.send(m.atServer.last, "down")
			m.step()
		}
	}
	run(2 * time.Second)
	m.links(Link{Latency: near.Latency, Loss: 0.3})
	run(2 * time.Second)
	m.links(far)
	run(2 * time.Second) // all that was lost has been settled
	for _, end := range []Session{s, m.atServer.last} {
		st := end.Stats()
		for what, loss := range map[string]float64{"in": st.LossIn, "out": st.LossOut} {
			if loss < 0.06 || loss > 0.16 {
				t.Errorf("loss %s %.3f, where 2 s of 6 lost 30 %%", what, loss)
			}
		}
		if st.MinRTT < 40*time.Millisecond || st.MinRTT > 75*time.Millisecond {
			t.Errorf("shortest round trip %v with near ones 2 s ago", st.MinRTT)
		}
	}
	run(6 * time.Second)
	if st := s.Stats(); st.LossIn == 0 || st.LossOut == 0 || st.MinRTT > 75*time.Millisecond {
		t.Errorf("8 s later loss %.3f and %.3f, shortest round trip %v: forgotten early", st.LossIn, st.LossOut, st.MinRTT)
	}
	run(5 * time.Second)
	for _, end := range []Session{s, m.atServer.last} {
		if st := end.Stats(); st.LossIn != 0 || st.LossOut != 0 || st.MinRTT < 120*time.Millisecond {
			t.Errorf("13 s later loss %.3f and %.3f, shortest round trip %v: not forgotten", st.LossIn, st.LossOut, st.MinRTT)
		}
	}
}
