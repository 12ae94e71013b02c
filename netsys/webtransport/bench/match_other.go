//go:build !linux

package main

import "errors"

var errLinux = errors.New("this benchmark needs Linux, for its network namespaces")

func match(string, string, options) (result, error) { return result{}, errLinux }

func (*options) build() (func(), error) { return nil, errLinux }

func part(string, []string) error { return errLinux }
