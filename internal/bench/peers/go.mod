module github.com/tactusgo/tactus/internal/bench/peers

go 1.26

require (
	github.com/gobwas/ws v1.5.0
	golang.org/x/sys v0.38.0
)

require github.com/gobwas/httphead v0.1.0 // indirect
