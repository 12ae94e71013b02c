// Command functions prints a hash of the results of each of some functions for many arguments. The functions that
// docs/models.md promises to be equal everywhere are under "alike".
package main

import (
	"fmt"
	"math"
	"math/rand/v2"
)

func main() {
	abs := math.Abs
	for _, f := range []struct {
		name string
		of   func(x, y float64) float64
	}{
		{"alike +-*/", func(x, y float64) float64 { return float64(x*y) + x/y - y }},
		{"alike +-*/ of float32", func(x, y float64) float64 {
			a, b := float32(x), float32(y)
			return float64(float32(a*b) + a/b - b)
		}},
		{"alike Sqrt", func(x, _ float64) float64 { return math.Sqrt(abs(x)) }},
		{"alike Hypot", math.Hypot},
		{"alike a normal", func(x, y float64) float64 {
			a, b := float32(x), float32(y)
			return float64(a / float32(math.Sqrt(float64(float32(a*a)+float32(b*b)))))
		}},
		{"alike Sin", func(x, _ float64) float64 { return math.Sin(x) }},
		{"alike Cos", func(x, _ float64) float64 { return math.Cos(x) }},
		{"alike Tan", func(x, _ float64) float64 { return math.Tan(x) }},
		{"alike Asin", func(x, _ float64) float64 { return math.Asin(math.Mod(x, 1)) }},
		{"alike Acos", func(x, _ float64) float64 { return math.Acos(math.Mod(x, 1)) }},
		{"alike Atan2", math.Atan2},
		{"alike Log", func(x, _ float64) float64 { return math.Log(abs(x)) }},
		{"alike Exp2", func(x, _ float64) float64 { return math.Exp2(x) }},
		{"alike Cbrt", func(x, _ float64) float64 { return math.Cbrt(x) }},
		{"alike Mod", math.Mod},
		{"alike Floor, Round, Trunc", func(x, y float64) float64 { return math.Floor(x) + math.Round(y) + math.Trunc(x*y) }},
		{"alike Min, Max", func(x, y float64) float64 { return math.Min(x, y) - math.Max(x, 2*y) }},
		{"alike an int32 in range", func(x, _ float64) float64 { return float64(int32(x * 1e6)) }},
		{"other Exp", func(x, _ float64) float64 { return math.Exp(x) }},
		{"other Pow", func(x, y float64) float64 { return math.Pow(abs(x), y) }},
		{"other Sinh", func(x, _ float64) float64 { return math.Sinh(x) }},
		{"other Tanh", func(x, _ float64) float64 { return math.Tanh(x) }},
		{"other an int32 out of range", func(x, _ float64) float64 { return float64(int32(x * 1e9)) }},
	} {
		r, hash := rand.New(rand.NewPCG(1, 2)), uint64(0)
		for range 100_000 {
			hash = (hash ^ math.Float64bits(f.of(20*r.Float64()-10, 20*r.Float64()-10))) * 1099511628211
		}
		fmt.Printf("%s: %x\n", f.name, hash)
	}
}
