module github.com/tactusgo/tactus/systems/host

go 1.26.0

replace github.com/tactusgo/tactus => ../..

require github.com/tactusgo/tactus v0.1.0

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/mlange-42/arche v0.15.3 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
