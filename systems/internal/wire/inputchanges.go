package wire

import "github.com/tactusgo/tactus/codec"

// Write writes n inputs: 1 bit and, if it is 1, changes. It writes nothing if n is 0.
func (c *InputWords) Write(n int, at Inputs) {
	if n == 0 {
		return
	}
	i := c.Skip(n, 0, 1, at)
	c.W.Bool(i < n)
	c.WriteChanges(n, i, 0, 1, at)
}

// WriteChanges writes the changes of n inputs from i on. i is the first input that differs from its prediction, or
// n. from is the first input that could differ, and ticks its distance from the input before it.
func (c *InputWords) WriteChanges(n, i, from, ticks int, at Inputs) {
	if i >= n {
		return
	}
	c.W.Bits(uint64(i-from), uint(codec.BitsFor(uint64(n-from))))
	if i > from {
		ticks = 1
	}
	for {
		c.writeChange(n, i, ticks, at)
		from, ticks = i+1, 1
		left := n - from
		switch i = c.Skip(n, from, ticks, at); i {
		case n:
			c.W.Bits(0, uint(min(left, 2)))
			return
		case from:
			c.W.Bits(1, 1)
		default:
			c.W.Bits(2, 2)
			c.W.Bits(uint64(i-from-1), uint(codec.BitsFor(uint64(left-1))))
		}
	}
}

// marked reports whether a change includes flags for the words that differ. A single word needs no flag, except if
// it has 1 bit: a change would then have no bits at all, like a message without changes.
func (c *InputWords) marked() bool { return len(c.words) != 1 || c.words[0].bits == 1 }

// writeChange writes input i of n. ticks is its distance from the input before.
func (c *InputWords) writeChange(n, i, ticks int, at Inputs) {
	words, there := at(i)
	if c.Gaps {
		c.W.Bool(!there)
	}
	if !there {
		return
	}
	for k := 0; k < len(words) && c.marked(); k++ {
		c.W.Bool(c.cut(k, words[k]) != c.ahead(k, ticks))
	}
	for k := range words {
		v, size := c.cut(k, words[k]), c.words[k].bits
		if v == c.ahead(k, ticks) {
			c.State[k] = v
			continue
		}
		before := c.ahead(k, ticks-1)
		switch {
		case size == 1:
		case size <= shortWord:
			c.W.Bits(uint64(v), size)
		default:
			c.writeDifference(v-before, size)
		}
		c.State[k], c.State[len(words)+k] = v, 0
		if size == 1 || v == before {
			continue
		}
		pace := c.pace(k, before, v)
		on := size > shortWord // the next input is unknown; wide words usually move
		if i+1 < n {
			if next, follows := at(i + 1); follows {
				on = c.cut(k, next[k]) == uint32((uint64(v)+uint64(pace))%c.words[k].turn)
			}
		}
		c.W.Bool(on)
		if on {
			c.State[len(words)+k] = pace
		}
	}
}

// Fit returns how many of n inputs fit into room bits. Call [InputWords.Start] after it.
func (c *InputWords) Fit(n, room int, at Inputs) int {
	if room < 2 {
		return 0
	}
	head := 3 + codec.BitsFor(uint64(n))
	for i := range n {
		words, there := at(i)
		cost := 0
		for k, v := range words {
			// At most, a word differs from its prediction when it starts and when it stops moving.
			v, moved := c.cut(k, v), &c.State[len(words)+k]
			was := *moved
			*moved = 0
			if v != c.State[k] {
				*moved = 1
			}
			if was+*moved > 0 {
				size := c.words[k].bits
				cost += codec.BitsFor(uint64(size)+1) + int(size) + 1
			}
			c.State[k] = v
		}
		if cost > 0 || !there {
			cost += head + len(words)
		}
		if room -= cost; room < 0 {
			return i
		}
	}
	return n
}

// Read reads inputs written by [InputWords.Write].
func (c *InputWords) Read(n int, put func(i int, there bool)) {
	c.ReadChanges(n, 0, 1, c.R.Bool(), put)
}

// ReadChanges reads the inputs from i on. ticks is the distance of input i from the one before it. Without changes
// all inputs are as predicted. It calls put with the index of each input; [InputWords.Words] then returns the
// words. It stops at invalid data.
func (c *InputWords) ReadChanges(n, i, ticks int, changes bool, put func(i int, there bool)) {
	run, next := 0, changes // run inputs are as predicted, then follows a change if next is set
	if changes {
		run = c.readRun(n - i)
	}
	for ; i < n && !c.Failed(); i++ {
		there := true
		switch {
		case run > 0 || !next:
			run--
			c.advance(ticks)
		default:
			there = !c.Gaps || !c.R.Bool()
			if there {
				c.readChange(ticks)
			}
			left := n - i - 1
			switch {
			case left == 0 || c.R.Bool():
			case left > 1 && c.R.Bool():
				run = 1 + c.readRun(left-1)
			default:
				next = false
			}
			if c.Failed() {
				return
			}
		}
		ticks = 1
		put(i, there)
	}
}

// Words copies the words of the last input to dst.
func (c *InputWords) Words(dst []int32) {
	for k := range dst {
		dst[k] = int32(c.State[k])
	}
}

// readRun reads a number below left.
func (c *InputWords) readRun(left int) int {
	run := int(c.R.Bits(uint(codec.BitsFor(uint64(left)))))
	c.Bad = c.Bad || run >= left
	return run
}

// readChange reads an input. ticks is its distance from the input before.
func (c *InputWords) readChange(ticks int) {
	n, any := len(c.words), false
	for k := range n {
		c.differs[k] = !c.marked() || c.R.Bool()
		any = any || c.differs[k]
	}
	c.Bad = c.Bad || !any
	for k := range n {
		guess, before, size := c.ahead(k, ticks), c.ahead(k, ticks-1), c.words[k].bits
		if !c.differs[k] {
			c.State[k] = guess
			continue
		}
		var v uint32
		switch {
		case size == 1:
			v = guess ^ 1
		case size <= shortWord:
			v = uint32(c.R.Bits(size))
		default:
			v = c.cut(k, int32(before+c.readDifference(size)))
		}
		c.State[k], c.State[n+k] = v, 0
		if size != 1 && v != before && c.R.Bool() {
			c.State[n+k] = c.pace(k, before, v)
		}
	}
}
