"""Open compressed files; what is no whole compressed file is an error of `DAMAGED`."""

import gzip
import io
import lzma
import zlib
from pathlib import Path
from typing import Any, BinaryIO

from minibert.hub.atomic_io import refuse_endless

DAMAGED = (EOFError, lzma.LZMAError, gzip.BadGzipFile, zlib.error)


def open_decompressed(path: Path) -> Any:
    """A buffered binary file of what a file holds, which may be compressed (.gz, .xz).

    Raises an OSError as `refuse_endless`.
    """
    refuse_endless(path)
    if path.suffix == ".gz":
        return gzip.open(path, "rb")
    if path.suffix == ".xz":
        return io.BufferedReader(_Xz(open(path, "rb")))
    return open(path, "rb")


class _Xz(io.RawIOBase):
    """What an .xz file holds: one stream, or several, with zeros between and after them.

    lzma.open takes whatever follows the first stream for nothing.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._stream = file, lzma.LZMADecompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        while not data:
            if self._stream.eof:
                packed = self._stream.unused_data.lstrip(b"\0")
                while not packed:
                    if not (block := self._file.read(io.DEFAULT_BUFFER_SIZE)):
                        return 0
                    packed = block.lstrip(b"\0")
                self._stream = lzma.LZMADecompressor()
            elif not self._stream.needs_input:
                packed = b""
            elif not (packed := self._file.read(io.DEFAULT_BUFFER_SIZE)):
                raise EOFError("it ends before the end of its last stream")
            data = self._stream.decompress(packed, max_length=len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()
