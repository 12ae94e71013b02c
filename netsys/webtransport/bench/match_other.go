//go:build !linux

package main

import "errors"

var errLinux = errors.New("network namespaces are needed, which Linux alone has")

func match(string, options) (result, error) { return result{}, errLinux }

func part(string, []string) error { return errLinux }
