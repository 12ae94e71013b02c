"""Writes the golden vectors in this folder: netcode 1.02 put together field by field, sealed by libsodium.

Run it in this folder; it needs Python 3 and libsodium.so.23. It shares nothing with the Go package, which is held to
its output by TestGoldenVectors.
"""

import ctypes
import ipaddress
import struct

sodium = ctypes.CDLL("libsodium.so.23")
assert sodium.sodium_init() >= 0


def seal(function, key, nonce, plain, data=b""):
    out = ctypes.create_string_buffer(len(plain) + 16)
    length = ctypes.c_ulonglong()
    assert 0 == getattr(sodium, function)(
        out, ctypes.byref(length), plain, ctypes.c_ulonglong(len(plain)),
        data, ctypes.c_ulonglong(len(data)), None, nonce, key)
    return out.raw[:length.value]


def seal_token(key, nonce, plain, data):
    return seal("crypto_aead_xchacha20poly1305_ietf_encrypt", key, nonce, plain, data)


def seal_packet(key, sequence, plain, data=b""):
    return seal("crypto_aead_chacha20poly1305_ietf_encrypt", key, bytes(4) + struct.pack("<Q", sequence), plain, data)


VERSION = b"NETCODE 1.02\0"
PROTOCOL = 0x1122334455667788
CREATE, EXPIRE = 1700000000, 1700000045
CLIENT = 0x8877665544332211
TIMEOUT = 10
KEY = bytes(range(32))
CLIENT_TO_SERVER = bytes(range(32, 64))
SERVER_TO_CLIENT = bytes(range(64, 96))
CHALLENGE_KEY = bytes(range(96, 128))
NONCE = bytes(range(128, 152))
USER = bytes(255 - i for i in range(256))
ADDRESSES = [("192.0.2.10", 40000), ("2001:db8::17:aabb", 50001), ("203.0.113.255", 65535)]


def addresses(pairs):
    out = struct.pack("<I", len(pairs))
    for text, port in pairs:
        address = ipaddress.ip_address(text)
        if address.version == 4:
            out += b"\1" + address.packed
        else:
            out += b"\2" + b"".join(struct.pack("<H", int(word, 16)) for word in address.exploded.split(":"))
        out += struct.pack("<H", port)
    return out


def packet(kind, key, sequence, body):
    count = max(1, (sequence.bit_length() + 7) // 8)
    prefix = bytes([count << 4 | kind])
    data = VERSION + struct.pack("<Q", PROTOCOL) + prefix
    return prefix + sequence.to_bytes(count, "little") + seal_packet(key, sequence, body, data)


private = struct.pack("<Qi", CLIENT, TIMEOUT) + addresses(ADDRESSES) + CLIENT_TO_SERVER + SERVER_TO_CLIENT + USER
private = seal_token(KEY, NONCE, private.ljust(1008, b"\0"), VERSION + struct.pack("<QQ", PROTOCOL, EXPIRE))
assert len(private) == 1024
token = VERSION + struct.pack("<QQQ", PROTOCOL, CREATE, EXPIRE) + NONCE + private
token += struct.pack("<i", TIMEOUT) + addresses(ADDRESSES) + CLIENT_TO_SERVER + SERVER_TO_CLIENT
challenge = seal_packet(CHALLENGE_KEY, 5, (struct.pack("<Q", CLIENT) + USER).ljust(284, b"\0"))
assert len(challenge) == 300

vectors = {
    "token": token.ljust(2048, b"\0"),
    "request": b"\0" + VERSION + struct.pack("<QQ", PROTOCOL, EXPIRE) + NONCE + private,
    "denied": packet(1, SERVER_TO_CLIENT, 1 << 63, b""),
    "challenge": packet(2, SERVER_TO_CLIENT, (1 << 63) + 1, struct.pack("<Q", 5) + challenge),
    "response": packet(3, CLIENT_TO_SERVER, 0, struct.pack("<Q", 5) + challenge),
    "keepalive": packet(4, SERVER_TO_CLIENT, 255, struct.pack("<II", 3, 256)),
    "payload": packet(5, CLIENT_TO_SERVER, 256, bytes(i & 255 for i in range(1200))),
    "payload_short": packet(5, CLIENT_TO_SERVER, (1 << 64) - 1, b"x"),
    "disconnect": packet(6, CLIENT_TO_SERVER, 0x12345678, b""),
}
for name, value in vectors.items():
    with open(name + ".hex", "w") as f:
        for i in range(0, len(value), 32):
            print(value[i:i + 32].hex(), file=f)
    print(name, len(value))
