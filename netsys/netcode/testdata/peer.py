"""A netcode 1.02 client and server, written from the standard alone and sealed by libsodium.

It shares nothing with the Go packages, which TestForeignClient and TestForeignServer put against it. It needs Python
3 and libsodium.so.23, and exits with 0 when everything was as it should be.

    peer.py client HOST PORT PROTOCOL KEY    sends payloads to an echo server and expects each back
    peer.py server HOST PORT PROTOCOL KEY    echoes what one client sends until it disconnects; port 0 chooses one
    peer.py deny   HOST PORT PROTOCOL KEY    is full
"""

import ctypes
import ipaddress
import os
import socket
import struct
import sys
import time

sodium = ctypes.CDLL("libsodium.so.23")
assert sodium.sodium_init() >= 0

VERSION = b"NETCODE 1.02\0"
TOKEN = "crypto_aead_xchacha20poly1305_ietf_"
PACKET = "crypto_aead_chacha20poly1305_ietf_"
REQUEST, DENIED, CHALLENGE, RESPONSE, KEEP_ALIVE, PAYLOAD, DISCONNECT = range(7)
GLOBAL = 1 << 63


def seal(cipher, key, nonce, plain, data):
    out, n = ctypes.create_string_buffer(len(plain) + 16), ctypes.c_ulonglong()
    assert 0 == getattr(sodium, cipher + "encrypt")(
        out, ctypes.byref(n), plain, ctypes.c_ulonglong(len(plain)),
        data, ctypes.c_ulonglong(len(data)), None, nonce, key)
    return out.raw[:n.value]


def unseal(cipher, key, nonce, sealed, data):
    out, n = ctypes.create_string_buffer(len(sealed)), ctypes.c_ulonglong()
    assert 0 == getattr(sodium, cipher + "decrypt")(
        out, ctypes.byref(n), None, sealed, ctypes.c_ulonglong(len(sealed)),
        data, ctypes.c_ulonglong(len(data)), nonce, key), "not authentic"
    return out.raw[:n.value]


def number_nonce(number):
    return bytes(4) + struct.pack("<Q", number)


class Socket:
    def __init__(self, host, port, protocol, bind):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.udp = socket.socket(family, socket.SOCK_DGRAM)
        self.udp.settimeout(0.1)
        self.protocol = protocol
        if bind:
            self.udp.bind((host, port))

    def receive(self):
        try:
            b, address = self.udp.recvfrom(2000)
        except TimeoutError:
            return None, None
        return b, address[:2]

    def send(self, to, kind, sequence, body, key):
        n = max(1, (sequence.bit_length() + 7) // 8)
        prefix = bytes([n << 4 | kind])
        data = VERSION + struct.pack("<Q", self.protocol) + prefix
        packet = prefix + struct.pack("<Q", sequence)[:n] + seal(PACKET, key, number_nonce(sequence), body, data)
        self.udp.sendto(packet, to)

    def open(self, b, key):
        n = b[0] >> 4
        sequence = int.from_bytes(b[1:1 + n], "little")
        data = VERSION + struct.pack("<Q", self.protocol) + b[:1]
        return b[0] & 15, sequence, unseal(PACKET, key, number_nonce(sequence), b[1 + n:], data)


def append_addresses(addresses):
    out = struct.pack("<I", len(addresses))
    for host, port in addresses:
        ip = ipaddress.ip_address(host)
        if ip.version == 4:
            out += b"\1" + ip.packed
        else:
            out += b"\2" + struct.pack("<8H", *struct.unpack(">8H", ip.packed))
        out += struct.pack("<H", port)
    return out


def parse_addresses(b):
    addresses = []
    count, b = struct.unpack_from("<I", b)[0], b[4:]
    for _ in range(count):
        if b[0] == 1:
            ip, b = ipaddress.IPv4Address(b[1:5]), b[5:]
        else:
            assert b[0] == 2, "address type"
            ip, b = ipaddress.IPv6Address(struct.pack(">8H", *struct.unpack("<8H", b[1:17]))), b[17:]
        addresses.append((str(ip), struct.unpack_from("<H", b)[0]))
        b = b[2:]
    return addresses, b


def client(host, port, protocol, key):
    net = Socket(host, port, protocol, bind=False)
    server, expire = (host, port), int(time.time()) + 30
    up, down, nonce = os.urandom(32), os.urandom(32), os.urandom(24)
    private = struct.pack("<Qi", 77, 5) + append_addresses([("192.0.2.9", 1), server]) + up + down + os.urandom(256)
    times = struct.pack("<QQ", protocol, expire)
    request = b"\0" + VERSION + times + nonce + seal(TOKEN, key, nonce, private.ljust(1008, b"\0"), VERSION + times)
    assert len(request) == 1078
    sequence = keep_alives = echoes = 0
    challenge, connected, expected = None, False, set()
    end = time.time() + 20
    while time.time() < end and echoes < 50:
        if connected:
            payload = os.urandom(8 + len(expected) * 24 % 1193)
            expected.add(payload)
            net.send(server, PAYLOAD, sequence, payload, up)
            sequence += 1
        elif challenge:
            net.send(server, RESPONSE, sequence, challenge, up)
            sequence += 1
        else:
            net.udp.sendto(request, server)
        b, _ = net.receive()
        if not b:
            continue
        kind, number, body = net.open(b, down)
        if kind == CHALLENGE and not challenge:
            assert len(b) == 333 and number >= GLOBAL, "challenge"
            challenge = body
        elif kind == KEEP_ALIVE:
            slot, slots = struct.unpack("<II", body)
            assert slot < slots, "slot"
            keep_alives, connected = keep_alives + 1, True
        elif kind == PAYLOAD:
            assert connected and body in expected, "not an echo"
            echoes += 1
        else:
            assert kind == CHALLENGE, "ended by a packet of type %d" % kind
    for _ in range(10):
        net.send(server, DISCONNECT, sequence, b"", up)
        sequence += 1
    print("%d echoes, %d keep-alives" % (echoes, keep_alives))
    assert echoes >= 50 and keep_alives >= 1


class Peer:
    def __init__(self, token):
        self.id, timeout = struct.unpack_from("<qi", token)
        assert timeout > 0, "timeout"
        self.servers, rest = parse_addresses(token[12:])
        self.up, self.down, self.user = rest[:32], rest[32:64], rest[64:320]
        self.connected, self.sequence, self.payloads = False, 0, 0


def server(host, port, protocol, key, deny=False):
    net = Socket(host, port, protocol, bind=True)
    port = net.udp.getsockname()[1]
    print("port %d" % port, flush=True)
    challenge_key, global_sequence, challenges, peers = os.urandom(32), GLOBAL, 0, {}
    end = time.time() + 20
    while time.time() < end:
        b, address = net.receive()
        if not b:
            continue
        if b[0] == REQUEST:
            assert len(b) == 1078 and b[1:14] == VERSION, "request"
            asked, expire = struct.unpack_from("<QQ", b, 14)
            assert asked == protocol and expire > time.time(), "protocol or expiry"
            peer = Peer(unseal(TOKEN, key, b[30:54], b[54:], b[1:30]))
            assert (host, port) in peer.servers, "servers"
            peer = peers.setdefault(address, peer)
            if deny:
                net.send(address, DENIED, global_sequence, b"", peer.down)
                print("denied", flush=True)
                return
            # The first challenge gets lost: the client must ask again.
            if challenges > 0:
                plain = struct.pack("<q", peer.id) + peer.user + bytes(20)
                sealed = seal(PACKET, challenge_key, number_nonce(challenges), plain, b"")
                body = struct.pack("<Q", challenges) + sealed
                net.send(address, CHALLENGE, global_sequence, body, peer.down)
            challenges, global_sequence = challenges + 1, global_sequence + 1
            continue
        peer = peers[address]
        kind, _, body = net.open(b, peer.up)
        if kind == RESPONSE:
            plain = unseal(PACKET, challenge_key, number_nonce(struct.unpack_from("<Q", body)[0]), body[8:], b"")
            assert struct.unpack_from("<q", plain)[0] == peer.id and plain[8:264] == peer.user, "challenge"
            # A payload that overtakes the keep-alive: the client does not know yet that it is connected.
            net.send(address, PAYLOAD, peer.sequence, b"early", peer.down)
            net.send(address, KEEP_ALIVE, peer.sequence + 1, struct.pack("<II", 3, 16), peer.down)
            peer.sequence, peer.connected = peer.sequence + 2, True
        elif kind == PAYLOAD:
            assert peer.connected and 1 <= len(body) <= 1200, "payload"
            peer.payloads += 1
            net.send(address, PAYLOAD, peer.sequence, body, peer.down)
            peer.sequence += 1
        elif kind == DISCONNECT:
            print("%d payloads" % peer.payloads)
            assert peer.payloads >= 50
            return
        else:
            assert kind == KEEP_ALIVE and len(body) == 8, "packet of type %d" % kind
    raise AssertionError("nobody disconnected")


def main(mode, host, port, protocol, key):
    run = {"client": client, "server": server, "deny": lambda *a: server(*a, deny=True)}[mode]
    run(host, int(port), int(protocol, 0), bytes.fromhex(key))


main(*sys.argv[1:])
