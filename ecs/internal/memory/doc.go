// Package memory keeps what a world needs from tick to tick without asking for memory
// again: values by number ([Keyed]), and room for values until the end of a stage ([Arena]).
package memory
