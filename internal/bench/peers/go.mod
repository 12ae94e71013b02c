module github.com/tactusgo/tactus/internal/bench/peers

go 1.26.0

replace (
	github.com/tactusgo/tactus => ../../..
	github.com/tactusgo/tactus/examples => ../../../examples
	github.com/tactusgo/tactus/internal/bench => ..
	github.com/tactusgo/tactus/systems/devtools => ../../../systems/devtools
	github.com/tactusgo/tactus/systems/host => ../../../systems/host
	github.com/tactusgo/tactus/systems/rooms => ../../../systems/rooms
)

require (
	github.com/gobwas/ws v1.5.0
	github.com/tactusgo/tactus/internal/bench v0.1.0
	golang.org/x/sys v0.49.0
)

require (
	github.com/gobwas/httphead v0.1.0 // indirect
	github.com/tactusgo/tactus v0.1.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
)
