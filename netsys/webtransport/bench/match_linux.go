package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

// match plays one match and returns its result.
func match(client, transport string, o options) (r result, err error) {
	server, err := start("server", transport, strconv.Itoa(o.npcs))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	var hello greeting
	lines := bufio.NewReader(server.out)
	if err := next(lines, &hello); err != nil {
		return r, fmt.Errorf("the server: %w", err)
	}
	player, err := start(client, strconv.Itoa(o.seconds), o.settle.String(), o.files)
	if err != nil {
		return r, err
	}
	there := &road{from: player.device, to: server.device, delay: o.delay, loss: o.loss, rng: rand.New(rand.NewPCG(o.seed, 1))}
	back := &road{from: server.device, to: player.device, delay: o.delay, loss: o.loss, rng: rand.New(rand.NewPCG(o.seed, 2))}
	go there.run()
	go back.run()
	if err := json.NewEncoder(player.in).Encode(hello); err != nil {
		return r, err
	}
	err = next(bufio.NewReader(player.out), &r)
	if err = errors.Join(err, player.stop()); err != nil {
		return r, fmt.Errorf("the client: %w", err)
	}
	if r.Transport != transport {
		return r, fmt.Errorf("the client played over %s instead of %s", r.Transport, transport)
	}
	r.Client, r.LossPct = client, o.loss
	for _, way := range []*road{there, back} {
		passed, lost := way.figures()
		r.Passed, r.Lost = r.Passed+passed, r.Lost+lost
	}
	return r, nil
}

// next reads a line of JSON.
func next(from *bufio.Reader, to any) error {
	line, err := from.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, to)
}

// part runs a subcommand in its own network namespace.
func part(name string, args []string) error {
	if name == "server" {
		npcs, err := strconv.Atoi(args[1])
		if err == nil {
			err = device(serverIP)
		}
		if err != nil {
			return err
		}
		return serve(args[0], npcs, func(g greeting) error { return json.NewEncoder(os.Stdout).Encode(g) }, wait)
	}
	seconds, err := strconv.Atoi(args[0])
	settle, wrong := time.ParseDuration(args[1])
	if err = errors.Join(err, wrong); err == nil {
		err = device(clientIP)
	}
	if err != nil {
		return err
	}
	var g greeting
	if err := next(bufio.NewReader(os.Stdin), &g); err != nil {
		return err
	}
	x := session{greeting: g, Long: time.Duration(seconds) * time.Second, Settle: settle}
	play := x.play
	if name == "page" {
		play = func() (result, error) { return x.browse(args[2]) }
	}
	r, err := play()
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// wait returns when the parent closes the standard input or ends.
func wait() { _, _ = io.Copy(io.Discard, os.Stdin) }
