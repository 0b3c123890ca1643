#!/usr/bin/env python3
"""Makes the files of this folder with numpy and zlib: what other programs write, for the readers to
be tested against. Only needed to change them; the values are repeated in the tests."""
import os
import struct
import zlib

import numpy as np

os.chdir(os.path.dirname(os.path.abspath(__file__)))


def png(name, width, height, depth, colour, rows, chunks=(), interlace=0):
    """`rows` are the packed bytes of each row (of each pass); filter 0 throughout."""

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    with open(name, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header))
        for kind, body in chunks:
            f.write(chunk(kind, bytes(body)))
        f.write(chunk(b"IDAT", data) + chunk(b"IEND", b""))


def write(name, data):
    with open(name, "wb") as f:
        f.write(data)


a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
b = np.array([-128, 0, 127], dtype=np.int8)
np.savez("stored.npz", a=a, b=b)
np.savez_compressed("deflated.npz", a=np.zeros((100, 100), np.int16), b=b)
np.savez("single.npz", only=b)
np.savez("empty.npz")
np.save("fortran.npy", np.asfortranarray(a))
np.save("scalar.npy", np.int64(-5))
np.save("empty.npy", np.zeros((0, 3), np.uint16))
np.save("flags.npy", np.array([True, False, True]))
np.save("big_endian.npy", a.astype(">f4"))
np.save("half.npy", a.astype(np.float16))
with open("version2.npy", "wb") as f:
    np.lib.format.write_array(f, np.array([1.5, -2.5]), version=(2, 0))

write("grey.pgm", b"P5\n# a comment\n3 2\n255\n" + bytes([0, 10, 20, 30, 40, 255]))
write("rgb.ppm", b"P6 2 1 255\n" + bytes([255, 0, 0, 1, 2, 3]))
write("deep.pgm", b"P5 1 1 65535\n" + bytes([1, 2]))
write("text.pgm", b"P2 1 1 255\n7\n")

gamma = (b"gAMA", struct.pack(">I", 100000))  # linear: a reader that converts would change values
png("grey.png", 3, 2, 8, 0, [[0, 10, 20], [30, 40, 255]], [gamma])
png("rgb.png", 2, 1, 8, 2, [[255, 0, 0, 1, 2, 3]])
png("palette.png", 3, 1, 2, 3, [[0b00_01_10_00]], [(b"PLTE", [255, 0, 0, 1, 2, 3, 9, 8, 7])])
png("bits.png", 3, 1, 1, 0, [[0b101_00000]])
png("nibbles.png", 2, 1, 4, 0, [[0x0f]])
# Adam7 of 3 x 2: passes 1 (0,0), 4 (2,0), 6 (1,0), 7 (row 1)
png("interlaced.png", 3, 2, 8, 0, [[0], [20], [10], [30, 40, 255]], interlace=1)
png("alpha.png", 1, 1, 8, 6, [[1, 2, 3, 128]])
png("keyed.png", 1, 1, 8, 0, [[7]], [(b"tRNS", [0, 7])])
png("deep.png", 1, 1, 16, 0, [[1, 2]])
png("lying.png", 60000, 60000, 8, 2, [[0]])
