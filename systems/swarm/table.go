package swarm

import (
	"fmt"
	"io"
)

// show prints how it goes, in a line.
func (s *Swarm) show(out io.Writer) {
	r := s.Report()
	fmt.Fprintf(out, "%6.1fs  %d of %d in, %d refused, %d lost  inputs %.1f/s up, updates %.1f/s down, %.0f B/s  input→snapshot %.0f ms p50, %.0f ms p99  busy %.0f %%\n",
		r.Seconds, r.Connected, r.Clients, r.Refused, r.Lost, r.InputsPerS, r.UpdatesPerS, r.BytesDownPerS, r.Latency.P50, r.Latency.P99, 100*r.Busy)
}
