// Command ecs compares package ecs and the kernels of package schema with plain
// code: loops over slices, copy, code written by hand for one struct, and arche.
//
//		go run ./internal/bench/ecs          a table
//		go run ./internal/bench/ecs -json    one JSON object on the last line of stdout
//		go run ./internal/bench/ecs -h       the meaning of each figure
//
//	  - main.go: the figures.
//	  - walk.go: walks over 10,000 entities.
//	  - history.go: capture and restore.
//	  - kernels.go: quantize, compare and interpolate.
//	  - spawn.go: spawn and despawn.
package main
