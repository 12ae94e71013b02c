module github.com/tactusgo/tactus/internal/bench/peers

go 1.26.0

replace github.com/tactusgo/tactus => ../../..

require (
	github.com/gobwas/ws v1.5.0
	github.com/tactusgo/tactus v0.1.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/gobwas/httphead v0.1.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
)
