// Command ecs measures what package ecs, and the kernels of package schema that
// it is used with, cost beside the plain code that they stand for: loops over
// slices, copy, code written by hand for one struct, and arche itself.
//
//		go run ./internal/bench/ecs          a table
//		go run ./internal/bench/ecs -json    one JSON object on the last line of stdout
//		go run ./internal/bench/ecs -h       what each figure is
//
//	  - main.go: the figures.
//	  - walk.go: walks over 10,000 entities.
//	  - history.go: capture and restore.
//	  - kernels.go: quantize, compare and interpolate.
//	  - spawn.go: spawn and despawn.
package main
