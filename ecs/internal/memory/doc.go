// Package memory keeps what a world needs from tick to tick without asking for memory
// again: values by number ([Keyed]), the stretches of equal
// numbers in a column ([Runs]), and room for values until the end of a stage ([Arena]).
package memory
