//go:build dragonfly || freebsd || netbsd || openbsd

package eventloop

// limitUnsent has no socket option to set on this system; the send buffer alone bounds what grows old.
func limitUnsent(_, _ int) {}
