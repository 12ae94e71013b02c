// Package buffers keeps buffers for datagrams: as many as were needed lately, and most datagrams need a small one: [Pool].
package buffers
