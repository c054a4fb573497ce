"""patch_plan.py IN OUT OLD NEW: a copy of a saved plan whose header has NEW in place of OLD, text of as many
bytes, and right checksums. OLD `version`: NEW is the major version. docs/plans.md has the format."""
import struct
import sys
import zlib

source, target, old, new = sys.argv[1:]
with open(source, "rb") as file:
    content = bytearray(file.read())
header_bytes = struct.unpack_from("<Q", content, 16)[0]
if old == "version":
    struct.pack_into("<I", content, 8, int(new))
else:
    header = bytes(content[64 : 64 + header_bytes])
    assert len(old) == len(new) and old.encode() in header
    content[64 : 64 + header_bytes] = header.replace(old.encode(), new.encode())
struct.pack_into("<I", content, 32, zlib.crc32(content[64 : 64 + header_bytes]))
struct.pack_into("<I", content, 60, zlib.crc32(content[:60]))
with open(target, "wb") as file:
    file.write(content)
