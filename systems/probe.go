package systems

// Probe looks at a server while it runs, on the server's goroutine; package inspect has
// one. What systems take is measured by Schedule().WrapAll.
type Probe interface {
	// Begin is called when a wake-up begins, before Receive.
	Begin()
	// End is called when a wake-up has sent what it had to. The server and its world are
	// at rest, and may be read until it returns.
	End()
}

// SetProbe makes p look at this server from the next wake-up on; nil ends it. A server
// without one compares a nil twice a wake-up.
func (s *Server) SetProbe(p Probe) { s.probe = p }

// Config is what this server was configured with, defaults filled in. Its Key is zero:
// the server does not give that away.
func (s *Server) Config() ServerConfig { return s.config }
